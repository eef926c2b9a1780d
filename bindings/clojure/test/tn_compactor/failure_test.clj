(ns tn-compactor.failure-test
  (:require [clojure.data.json :as json]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [tn-compactor.core :as tn]
            [tn-compactor.core-test :refer [compact conversation options]])
  (:import (java.util ArrayList HashMap)))

(defmacro thrown
  "What the body throws; nil if nothing."
  [& body]
  `(try ~@body nil (catch Throwable thrown# thrown#)))

(def text (json/write-str conversation))

(defn- both-roads
  "What is thrown by the hook and by the compactor of JSON text."
  [options]
  [(thrown (compact options)) (thrown ((tn/json-compactor options) text))])

(defn- status [thrown]
  (:tn-compactor/status (ex-data thrown)))

(deftest what-a-function-of-the-host-throws-arrives-as-itself
  (doseq [error [(ex-info "the model is unavailable" {:retry-after 30 :model "small 🥕"} (RuntimeException. "cause"))
                 (InterruptedException. "stopped")
                 (AssertionError. "wrong")
                 (StackOverflowError.)
                 (ex-info "" {})]
          key   [:summarize :count-tokens]
          thrown (both-roads (assoc options key (fn [_] (throw error))))]
    (is (identical? error thrown) (str key " " error))))

(deftest an-overflowing-stack-in-a-callback-arrives-as-itself
  (doseq [thrown (both-roads (assoc options :count-tokens (fn overflow [messages] (inc (overflow messages)))))]
    (is (instance? StackOverflowError thrown)))
  (is (some? (compact options))))

(deftest after-a-failure-nothing-more-is-asked-and-the-transcript-is-what-it-was
  (let [calls  (atom 0)
        before (pr-str conversation)
        count  (fn [_] (when (= 2 (swap! calls inc)) (throw (ex-info "second" {}))) 1000)]
    (is (= "second" (ex-message (thrown (compact (assoc options :count-tokens count))))))
    (is (= 2 @calls))
    (is (= before (pr-str conversation)))
    (is (some? (compact options)) "and the next call is none the worse")))

(deftest a-blank-summary-is-refused
  (doseq [summary ["" " " "\n\t" "\u3000" "\u00a0\u2028"]
          thrown  (both-roads (assoc options :summarize (constantly summary)))]
    (is (= :callback (status thrown)) (pr-str summary))
    (is (str/includes? (ex-message thrown) "the summary is empty or only white space"))))

(deftest a-summary-that-is-no-text-is-refused
  (doseq [summary [nil 5 {:content "short"} :short]
          thrown  (both-roads (assoc options :summarize (constantly summary)))]
    (is (= :callback (status thrown)))
    (is (= (str "summarize: found " (pr-str summary) ", allowed: a string") (ex-message thrown)))))

(deftest a-count-that-is-none-is-refused
  (doseq [tokens [nil "5" -1 -0.5 ##NaN ##Inf 18446744073709551616N :many]
          thrown (both-roads (assoc options :count-tokens (constantly tokens)))]
    (is (= :callback (status thrown)) (pr-str tokens))
    (is (str/includes? (ex-message thrown) (str "count-tokens: found " (pr-str tokens) ",")))))

(deftest options-that-are-not-allowed-are-refused-at-once
  (doseq [[wrong place] {{:max-token 5}            "option \"max_token\""
                         {:sumarize str}           "option \"sumarize\""
                         {:other/keep-tail 5}      "option \"other/keep_tail\""
                         {:max-tokens nil}         "max_tokens"
                         {:max-tokens "many"}      "option \"max_tokens\": found \"many\""
                         {:max-tokens 2.5}         "option \"max_tokens\": found 2.5"
                         {:max-tokens -1}          "option \"max_tokens\": found -1"
                         {:keep-tail 1/2}          "option \"keep_tail\": found 0.5"
                         {:keep-tail 18446744073709551616N} "option \"keep_tail\""
                         {:flush-to-memory "yes"}  "option \"flush_to_memory\""
                         {:char-unit :bytes}       "option \"char_unit\": found \"bytes\""
                         {:split :sideways}        "option \"split\": found \"sideways\""
                         {:summary-role :tool}     "option \"summary_role\": found \"tool\""
                         {:summarize nil}          "option :summarize: missing"
                         {:summarize "short"}      "option :summarize: found \"short\", allowed: a function"
                         {:count-tokens 5}         "option :count-tokens: found 5, allowed: a function"
                         {:write-json 5}           "option :write-json: found 5, allowed: a function"}
          make [tn/compactor tn/json-compactor]]
    (let [thrown (thrown (make (merge options wrong)))]
      (is (= :options (status thrown)) (pr-str wrong))
      (is (str/includes? (str (ex-message thrown)) place))))
  (is (= :options (status (thrown (tn/plan {:max-token 5} conversation)))))
  (is (= :options (status (thrown (tn/plan {:max-tokens 5 :count-tokens 5} conversation)))))
  (is (= :options (status (thrown (tn/estimate-tokens conversation {:char-unit :bytes}))))))

(deftest what-the-json-writer-cannot-write-is-its-own-error
  (let [with-value #(assoc-in conversation [3 :content] %)]
    (doseq [[value message] {##NaN         #"NaN"
                             ##Inf         #"infinite"
                             (Object.)     #"Don't know how to write JSON"
                             {nil 1}       #"may not be nil"}
            call [#(compact options %) #(tn/plan options %) #(tn/estimate-tokens %)]]
      (let [thrown (thrown (call (with-value value)))]
        (is (instance? Exception thrown) (pr-str value))
        (is (nil? (status thrown)) "it is data.json's, not the library's")
        (is (re-find message (str (ex-message thrown))))))
    (testing "a value that holds itself overflows the writer's stack, and does no harm"
      (doseq [cyclic [(let [list (ArrayList.)] (.add list list) list)
                      (let [map (HashMap.)] (.put map "self" map) map)]]
        (is (instance? StackOverflowError (thrown (compact options (with-value cyclic)))))
        (is (some? (compact options)))))
    (testing "a writer of the host's"
      (let [error (ex-info "no" {:a 1})]
        (is (identical? error (thrown (compact (assoc options :write-json (fn [_] (throw error)))))))
        (is (= :json (status (thrown (compact (assoc options :write-json (constantly nil)))))))
        (is (= :json (status (thrown (compact (assoc options :write-json (constantly "[")))))))))))

(deftest a-lone-surrogate-is-no-error
  (let [half     (str "cut off: " (subs "🥕" 0 1))
        messages (assoc-in conversation [5 :content] half)
        raw      #(json/write-str % :escape-unicode false)]
    (doseq [options [options (assoc options :write-json raw)]]
      (is (= half (:content ((compact options messages) 2))))
      (is (= (tn/estimate-tokens (assoc-in conversation [5 :content] "cut off: x"))
             (tn/estimate-tokens messages options))))))

(deftest errors-name-the-place
  (doseq [[messages place] {[{:role "user"} 5]   "messages[1]: expected an object, found a number"
                            [{:role "user"} nil] "messages[1]"
                            [["user"]]           "messages[0]"}]
    (let [thrown (thrown (tn/estimate-tokens messages))]
      (is (= :transcript (status thrown)))
      (is (str/includes? (ex-message thrown) place))))
  (let [compact (tn/json-compactor options)]
    (is (= [:json "messages: byte 1: expected"]
           ((juxt status #(subs (ex-message %) 0 26)) (thrown (compact "[")))))
    (is (= :json (status (thrown (compact "")))))
    (is (= :json (status (thrown (compact nil)))))
    (is (= :transcript (status (thrown (compact "{}")))))
    (is (= :utf8 (status (thrown (compact (byte-array [91 34 -1 34 93]))))))))
