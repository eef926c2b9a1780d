(ns under-budget
  "At or under its budget a transcript stays as it is, and nobody is asked for a summary.

    clojure -M:examples -m under-budget"
  (:require [tn-compactor.core :as tn]))

(def messages
  [{:role "system" :content "You help in the garden."}
   {:role "user" :content "Which soil suits carrots?"}
   {:role "assistant" :content "Sandy loam 🥕."}])

(def hook
  (tn/compactor {:max-tokens 1000
                 :summarize  (fn [_] (throw (IllegalStateException. "there is nothing to summarize")))}))

(defn -main []
  (println (tn/estimate-tokens messages) "tokens, the hook gives" (pr-str (hook {:messages messages}))))
