(ns tn-compactor.cases-test
  "The small transcripts of tests/cases, on every road, by both splits."
  (:require [clojure.data.json :as json]
            [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [tn-compactor.core :as tn]
            [tn-compactor.promises :as promises])
  (:import (java.io File)))

(def ^:private folder (io/file "../../tests/cases"))

(def ^:private cases
  (delay
    (for [^File file (sort (.listFiles ^File folder))
          :when      (str/ends-with? (.getName file) ".json")
          :let       [case (json/read-str (slurp file))]]
      (let [text (or (case "messages_text") (json/write-str (case "messages")))]
        (assoc case :name (.getName file), :text text, :messages (json/read-str text))))))

(defn- write-json
  "The writer for the messages of a case: where its exact text matters, it is not what data.json would write."
  [case]
  (if (case "messages_text")
    (fn [messages] (if (= messages (:messages case)) (:text case) (json/write-str messages)))
    json/write-str))

(defn- options [case split]
  (assoc (case "options") :split split))

(defn- expected [case split]
  (let [{:strs [expect]} case]
    (get expect (name split) expect)))

(defmacro ^:private in-every-case
  "Runs the body for every case and both splits."
  [[case split] & body]
  `(doseq [~case  @cases
           ~split [:steps :turns]]
     (testing (str "\n" (:name ~case) " by " (name ~split) ": " (get ~case "what") "\n")
       ~@body)))

(deftest all-cases-are-here
  (is (= (parse-long (re-find #"\d+" (slurp (io/file folder "README.md")))) (count @cases))))

(deftest every-case-counts-as-it-should-in-every-unit
  (doseq [case       @cases
          char-unit  [:code-point :utf16 :utf8]
          :let       [tokens (get-in case ["tokens" (str/replace (name char-unit) "-" "_")])
                      units  {:char-unit char-unit, :write-json (write-json case)}]]
    (testing (:name case)
      (is (int? tokens))
      (is (= tokens (tn/estimate-tokens (:messages case) units)) (str char-unit))
      (is (= tokens (:tokens (tn/plan (merge units {:max-tokens 0}) (:messages case)))) (str char-unit)))))

(deftest every-case-is-cut-where-it-should-be
  (in-every-case [case split]
    (let [{:strs [outcome head_end tail_start request]} (expected case split)
          ;; In code points, as the cases count.
          units   {:char-unit :code-point, :write-json (write-json case)}
          options (merge (options case split) units)
          plan    (tn/plan options (:messages case))]
      (is (= (cond-> {:outcome (keyword (str/replace outcome "_" "-")), :head-end head_end}
               (= "compact" outcome) (assoc :tail-start tail_start, :request request))
             (select-keys plan (cond-> [:outcome :head-end] (= "compact" outcome) (conj :tail-start :request)))))
      (when-not (case "messages_text")
        (is (= plan (tn/plan (assoc options :count-tokens #(tn/estimate-tokens % units)) (:messages case)))
            "a host that counts as the estimate does gets the same")))))

(deftest every-case-ends-as-its-summary-does
  (in-every-case [case split]
    (let [{:strs [summary summarize_error]} case
          error   (when summarize_error (ex-info summarize_error {:case (:name case)}))
          options (assoc (options case split) :char-unit :code-point
                         :summarize (fn [_] (if error (throw error) summary)))
          before  (json/write-str (:messages case))]
      (doseq [result [(try ((tn/compactor options) {:messages (:messages case)}) (catch Exception e e))
                      (try ((tn/json-compactor options) (:text case)) (catch Exception e e))]]
        (cond
          (not= "compact" (get (expected case split) "outcome")) (is (nil? result))
          error                                                  (is (identical? error result))
          (str/blank? summary)                                   (is (= :callback (:tn-compactor/status (ex-data result))))
          :else (let [messages (if (string? result) (json/read-str result) (:messages result))]
                  (is (= {"role" "system" "content" (str "[Summary of earlier conversation]\n" summary)}
                         (get messages (get (expected case split) "head_end")))))))
      (is (= before (json/write-str (:messages case)))))))

(deftest every-case-keeps-every-promise
  (in-every-case [case split]
    (doseq [flush-to-memory [false true]
            keyed           [identity #(json/read-str (json/write-str %) :key-fn keyword)]
            :let            [{:strs [max_tokens keep_tail]} (case "options")]]
      (promises/check (cond-> {:max-tokens max_tokens, :split split, :flush-to-memory flush-to-memory}
                        keep_tail (assoc :keep-tail keep_tail))
                      (keyed (:messages case))))))
