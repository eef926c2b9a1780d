(ns tn-compactor.real-transcripts-test
  "Real conversations, where they are at hand: they are no part of the project. TN_TRANSCRIPTS names their folder if it is not
  ../shared/transcripts beside the project."
  (:require [clojure.data.json :as json]
            [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [tn-compactor.core :as tn]
            [tn-compactor.promises :as promises]
            [tn-compactor.skipping :refer [skip]])
  (:import (java.io File)))

(def ^:private folder
  (io/file (or (System/getenv "TN_TRANSCRIPTS") "../../../shared/transcripts")))

(deftest real-transcripts-keep-every-promise
  (let [files (sort (filter (fn [^File file] (str/ends-with? (.getName file) ".json")) (file-seq folder)))]
    (if (empty? files)
      (skip "real transcripts" (str "no transcripts in " folder))
      (doseq [^File file files
              :let       [messages (json/read-str (slurp file))
                          size     (tn/estimate-tokens messages)]]
        (testing (.getName file)
          (is (nil? ((tn/compactor {:max-tokens size, :summarize (constantly "short")}) {:messages messages})))
          (doseq [share [1/2 1/4 1/10]
                  split [:steps :turns]]
            (promises/check {:max-tokens (long (* share size)), :split split} messages)))))))
