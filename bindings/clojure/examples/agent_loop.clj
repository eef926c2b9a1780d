(ns agent-loop
  "The hook inside an agent's loop: before every request to the model, the transcript is compacted if it has outgrown its budget.
  The summary is the model's own work. A stub on loopback stands in for the model.

    clojure -M:examples -m agent-loop"
  (:require [clojure.data.json :as json]
            [clojure.string :as str]
            [stub-server]
            [tn-compactor.core :as tn])
  (:import (java.net URI)
           (java.net.http HttpClient HttpRequest HttpRequest$BodyPublishers HttpResponse$BodyHandlers)
           (java.nio.charset StandardCharsets)))

;; The loop

(def ^:private http (delay (HttpClient/newHttpClient)))

(defn complete
  "The model's next message."
  [{:keys [url model]} messages tools]
  (let [body    (json/write-str (cond-> {:model model, :messages messages} (seq tools) (assoc :tools tools)))
        request (-> (HttpRequest/newBuilder (URI/create url))
                    (.header "Content-Type" "application/json")
                    (.POST (HttpRequest$BodyPublishers/ofString body StandardCharsets/UTF_8))
                    .build)
        answer  (.send ^HttpClient @http request (HttpResponse$BodyHandlers/ofString StandardCharsets/UTF_8))]
    (when-not (= 200 (.statusCode answer))
      (throw (ex-info "the model did not answer" {:status (.statusCode answer), :body (.body answer)})))
    (get-in (json/read-str (.body answer) :key-fn keyword) [:choices 0 :message])))

(defn- tool-results [tools {:keys [tool_calls]}]
  (for [{:keys [id] {:keys [name arguments]} :function} tool_calls]
    {:role "tool", :tool_call_id id, :content ((get tools name) (json/read-str arguments))}))

(defn run
  "Asks the model and runs its tool calls until it has an answer. Gives the transcript."
  [{:keys [before-llm tools] :as client} messages]
  (let [described (for [name (keys tools)] {:type "function", :function {:name name}})]
    (loop [messages messages, turn 0]
      (let [event    {:messages messages, :tools described, :model (:model client), :turn turn}
            messages (:messages (before-llm event) messages)
            answer   (complete client messages described)
            messages (conj messages answer)]
        (if (seq (:tool_calls answer))
          (recur (into messages (tool-results tools answer)) (inc turn))
          messages)))))

;; The agent

(def tools
  {"dig" (fn [{:strs [row]}] (str "Row " row " is dug. " (apply str (repeat 12 "Stones and roots were in the way. "))))})

(defn summarizer
  "Has the model write the summary."
  [client]
  (fn [older]
    (:content (complete client
                        [{:role "system" :content "Summarize this conversation for the one who goes on with it."}
                         {:role "user" :content (str/join "\n" (map json/write-str older))}]
                        nil))))

(defn gardener [url]
  (let [client {:url url, :model "stub"}]
    (assoc client
           :tools tools
           :before-llm (tn/compactor {:max-tokens 800, :flush-to-memory true, :summarize (summarizer client)}))))

(def messages
  [{:role "system" :content "You help in the garden. You have tools."}
   {:role "user" :content "Dig twelve rows, please. 请挖十二行 🌱"}])

;; The model

(defn stub-model
  "Digs row after row, and sums up if asked to."
  []
  (let [row (atom 0)]
    (fn [{:keys [messages]}]
      (cond
        (str/starts-with? (:content (first messages)) "Summarize") {:role "assistant" :content (str @row " rows are dug 🌱.")}
        (= 12 @row) {:role "assistant" :content "All twelve rows are dug."}
        :else {:role "assistant" :content nil
               :tool_calls [{:id (str "call_" (swap! row inc)) :type "function"
                             :function {:name "dig" :arguments (json/write-str {:row @row})}}]}))))

(defn -main []
  (let [{:keys [url requests close]} (stub-server/start (stub-model))]
    (with-open [_ close]
      (let [transcript (run (gardener url) messages)]
        (println (:content (peek transcript)))
        (println (count @requests) "requests, the largest of" (apply max (map #(tn/estimate-tokens (:messages %)) @requests)) "tokens")
        (run! prn (map #(update % :content (fn [text] (subs (str text) 0 (min 60 (count text))))) transcript))))))
