(ns tn-compactor.examples-test
  (:require [agent-loop]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [stub-server]
            [tn-compactor.core :as tn]
            [tool-calls]
            [under-budget]))

(deftest under-budget-nothing-happens
  (is (nil? (under-budget/hook {:messages under-budget/messages})))
  (is (= "40 tokens, the hook gives nil\n" (with-out-str (under-budget/-main)))))

(defn- calls [messages] (set (mapcat (fn [message] (map :id (:tool_calls message))) messages)))

(defn- results [messages] (set (keep :tool_call_id messages)))

(deftest over-budget-a-transcript-with-tool-calls-is-cut-at-a-user's-turn
  (let [messages                tool-calls/messages
        result                  (:messages (tool-calls/hook {:messages messages}))
        [system summary & tail] result]
    (is (identical? (first messages) system))
    (is (= "system" (:role summary)))
    (is (str/starts-with? (:content summary) "[Summary of earlier conversation]\nThe user asked: Which soil suits carrots?"))
    (is (= "user" (:role (first tail))))
    (is (every? true? (map identical? tail (take-last (count tail) messages))))
    (is (= #{"call_2"} (calls tail) (results tail)))
    (is (str/includes? (with-out-str (tool-calls/-main)) ":outcome :compact"))))

(deftest in-an-agent's-loop-the-model-gets-the-summary-and-the-reminder
  (let [{:keys [url requests close]} (stub-server/start (agent-loop/stub-model))]
    (with-open [_ close]
      (let [transcript (agent-loop/run (agent-loop/gardener url) agent-loop/messages)
            {summaries true, turns false} (group-by #(str/starts-with? (get-in % [:messages 0 :content]) "Summarize") @requests)
            compacted  (filter (fn [{:keys [messages]}] (str/starts-with? (str (:content (second messages))) (tn/summary-prefix))) turns)]
        (is (= "All twelve rows are dug." (:content (peek transcript))))
        (is (= 13 (count turns)))
        (is (< 1 (count summaries) 12) "it is compacted now and then")
        (is (seq compacted))
        (testing "every request after a compaction"
          (doseq [{:keys [messages]} compacted]
            (is (= (first agent-loop/messages) (first messages)))
            (is (re-matches #"\[Summary of earlier conversation\]\n\d+ rows are dug 🌱\." (:content (second messages))))
            (is (= {:role "system" :content (tn/flush-reminder)} (nth messages 2)))
            (is (= (second agent-loop/messages) (nth messages 3)) "the request is still there")))
        (testing "every request"
          (doseq [{:keys [messages]} turns]
            (is (= (calls messages) (results messages)))
            (is (<= (tn/estimate-tokens messages) 800))))))))

(deftest the-agent's-example-runs
  (is (str/starts-with? (with-out-str (agent-loop/-main)) "All twelve rows are dug.\n")))
