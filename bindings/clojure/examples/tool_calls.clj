(ns tool-calls
  "A transcript with tool calls, over its budget: the system message stays first and untouched, a summary follows, and the tail
  starts at a user's turn, with every tool result beside its call.

    clojure -M:examples -m tool-calls"
  (:require [tn-compactor.core :as tn]))

(defn- looked-up [id query found]
  [{:role "assistant" :content nil
    :tool_calls [{:id id :type "function" :function {:name "look_up" :arguments (str "{\"query\":\"" query "\"}")}}]}
   {:role "tool" :tool_call_id id :content found}])

(def messages
  (vec (concat
        [{:role "system" :content "You help in the garden. Look things up."}
         {:role "user" :content "Which soil suits carrots?"}]
        (looked-up "call_1" "soil for carrots" (apply str (repeat 20 "Carrots grow best in deep, loose, sandy loam. ")))
        [{:role "assistant" :content "Deep, loose, sandy loam."}
         {:role "user" :content "And leeks? 韭葱呢？"}]
        (looked-up "call_2" "soil for leeks" "Leeks want rich, firm soil.")
        [{:role "assistant" :content "Rich and firm."}])))

(def options
  {:max-tokens 200
   :keep-tail  100
   :summarize  (fn [older]
                 (str "The user asked: " (:content (first older)) " The answer was: " (:content (peek older))))})

(def hook (tn/compactor options))

(defn -main []
  (println "The plan:" (pr-str (tn/plan options messages)))
  (run! prn (:messages (hook {:messages messages}))))
