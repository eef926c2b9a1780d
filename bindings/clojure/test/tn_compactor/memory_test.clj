(ns tn-compactor.memory-test
  (:require [clojure.data.json :as json]
            [clojure.java.io :as io]
            [clojure.test :refer [deftest is]]
            [tn-compactor.core :as tn]
            [tn-compactor.core-test :refer [conversation long-text]]
            [tn-compactor.skipping :refer [skip]])
  (:import (java.nio.file Files Path)))

(def ^:private status "/proc/self/status")

(defn- resident-megabytes []
  ;; Not by slurp, which asks how much there is to read.
  (let [[_ kilobytes] (re-find #"VmRSS:\s+(\d+) kB" (Files/readString (Path/of status (make-array String 0))))]
    (quot (parse-long kilobytes) 1024)))

(def ^:private kilobytes-20 (apply str (repeat 20 long-text)))

(def ^:private large
  "Lost once per call, what goes in or what comes out of it would come to 200 MB."
  (-> conversation
      (assoc-in [3 :content] kilobytes-20)
      (assoc-in [6 :content] kilobytes-20)))

(def ^:private options
  {:max-tokens 9000, :keep-tail 6000, :summarize (constantly "short")})

(def ^:private text (json/write-str large))

(defn- attempt [f] (try (f) (catch Exception _)))

(defn- grown
  "Megabytes by which the process grows while f is called so many times."
  [times f]
  (dotimes [_ (quot times 4)] (f))
  (System/gc)
  (let [before (resident-megabytes)]
    (dotimes [_ times] (f))
    (System/gc)
    (- (resident-megabytes) before)))

(defmacro ^:private does-not-grow [times & body]
  `(let [megabytes# (grown ~times (fn [] ~@body))]
     (println "  grown by" megabytes# "MB after" ~times "times" '~@body)
     (is (< megabytes# 16) (str '~body))))

;; The heap has its size from the start, so what grows is what the library or JNA holds.
(deftest ten-thousand-compactions-do-not-grow-the-process
  (if-not (.exists (io/file status))
    (skip "memory" (str "there is no " status " to read the size of the process from"))
    (let [hook     (tn/compactor (assoc options :flush-to-memory true))
          counting (tn/compactor (assoc options :count-tokens (fn [messages] (* 2000 (count messages)))))
          json     (tn/json-compactor options)
          failing  (tn/json-compactor (assoc options :summarize (fn [_] (throw (ex-info "no" {})))))]
      (doseq [result [(hook {:messages large}) (counting {:messages large}) (json text)]]
        (is (some? result)))
      (does-not-grow 10000 (hook {:messages large}))
      (does-not-grow 10000 (counting {:messages large}))
      (does-not-grow 10000 (json text))
      (does-not-grow 10000 (attempt #(failing text)))
      (does-not-grow 10000 (attempt #(json (str text "!"))))
      (does-not-grow 500000 (tn/compactor options)))))
