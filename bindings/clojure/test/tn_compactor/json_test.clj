(ns tn-compactor.json-test
  (:require [clojure.data.json :as json]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [tn-compactor.core :as tn]
            [tn-compactor.core-test :refer [conversation options]])
  (:import (java.nio.charset StandardCharsets)))

(def text (json/write-str conversation :escape-unicode false))

(deftest json-text-is-compacted-to-json-text
  (let [seen    (atom nil)
        compact (tn/json-compactor (assoc options :summarize (fn [older] (reset! seen older) "About 土 🥕.")))
        result  (compact text)]
    (is (= (json/write-str (subvec conversation 1 5) :escape-unicode false) @seen) "summarize gets the older messages' text")
    (is (= (json/write-str [(conversation 0)
                            {:role "system" :content "[Summary of earlier conversation]\nAbout 土 🥕."}
                            (conversation 5)
                            (conversation 6)]
                           :escape-unicode false)
           result))
    (is (= result (compact (.getBytes ^String text StandardCharsets/UTF_8))) "bytes will do as well")))

(deftest under-the-budget-there-is-no-new-text
  (is (nil? ((tn/json-compactor (assoc options :max-tokens 100000)) text)))
  (is (nil? ((tn/json-compactor (assoc options :max-tokens 0)) "[]"))))

(deftest kept-messages-stand-as-they-stood
  (let [odd     "{\"role\" : \"user\", \"n\":1.10, \"big\":1e5, \"k\":1, \"k\":2, \"content\":\"\\u0041\\/é\"}"
        long    (json/write-str {:role "assistant" :content (:content (conversation 3))})
        compact (tn/json-compactor options)
        result  (compact (str "[ {\"role\":\"user\",\"content\":\"a\"} ,\n" long ",\n\t" odd "\n]"))]
    (is (str/ends-with? result (str "," odd "]")))))

(deftest count-tokens-gets-json-text-too
  (let [seen    (atom [])
        compact (tn/json-compactor (assoc options :max-tokens 69, :keep-tail 20
                                          :count-tokens (fn [messages]
                                                          (swap! seen conj messages)
                                                          (* 10 (count (json/read-str messages))))))]
    (is (= 4 (count (json/read-str (compact text)))))
    (is (= text (first @seen)))))

(deftest a-lone-surrogate-is-kept-as-its-escape
  (let [half     (str "cut off: " (subs "🥕" 0 1))
        messages (assoc-in conversation [5 :content] half)
        result   ((tn/json-compactor options) (json/write-str messages :escape-unicode false))]
    (is (str/includes? result "\"cut off: \\ud83e\""))
    (is (= half (get-in (json/read-str result) [2 "content"])))))

(deftest a-summary-that-utf-8-cannot-say-is-refused
  (let [half (str "short" (subs "🥕" 1))]
    (testing "where it would have to cross as text"
      (let [thrown (try ((tn/json-compactor (assoc options :summarize (constantly half))) text) (catch Exception e e))]
        (is (= :utf8 (:tn-compactor/status (ex-data thrown))))
        (is (str/includes? (ex-message thrown) "at index 5"))))
    (testing "but is the host's own affair where it is not"
      (is (= (str (tn/summary-prefix) half)
             (get-in ((tn/compactor (assoc options :summarize (constantly half))) {:messages conversation})
                     [:messages 1 :content]))))))
