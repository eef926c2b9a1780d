(ns tn-compactor.promises
  "What holds of every compaction, checked naively on messages keyed by strings: pairs by looking back through all calls, sizes
  by writing every message. It is written from the rules, not from the library."
  (:require [clojure.data.json :as json]
            [clojure.string :as str]
            [clojure.test :refer [is testing]]
            [tn-compactor.core :as tn]))

(def ^:private prefix "[Summary of earlier conversation]\n")

(defn keyed-by-strings
  "The messages as another program would read them."
  [messages]
  (json/read-str (json/write-str messages)))

(defn- elements [message]
  (filter map? (concat (when (sequential? (message "content")) (message "content"))
                       (when (sequential? (message "parts")) (message "parts")))))

(defn- ends-with? [suffix value]
  (and (string? value) (str/ends-with? value suffix)))

(defn- calls
  "The calls of a message, each with its :id or its :name or both."
  [message]
  (filter (fn [{:keys [id name]}] (or (string? id) (string? name)))
          (concat
           (for [call (when (sequential? (message "tool_calls")) (message "tool_calls"))
                 :when (map? call)]
             {:id (call "id")})
           [{:name (get-in message ["function_call" "name"])}
            (when (ends-with? "_call" (message "type")) {:id (message "call_id")})]
           (for [element (elements message)
                 call    [(when (ends-with? "tool_use" (element "type")) {:id (element "id")})
                          (when (= "tool-call" (element "type")) {:id (element "toolCallId")})
                          {:id (get-in element ["toolUse" "toolUseId"])}
                          (when-let [call (or (element "functionCall") (element "function_call"))]
                            {:id (not-empty (call "id")), :name (not-empty (call "name"))})]]
             call))))

(defn- results
  "The tool results of a message, each with the :id or the :name of its call."
  [message]
  (remove nil?
          (concat
           [(when (= "tool" (message "role"))
              (when (message "tool_call_id") {:id (message "tool_call_id")}))
            (when (= "function" (message "role")) {:name (message "name")})
            (when (ends-with? "_output" (message "type")) {:id (message "call_id")})]
           (for [element (elements message)
                 result  [(when (ends-with? "tool_result" (element "type")) {:id (element "tool_use_id")})
                          (when (= "tool-result" (element "type")) {:id (element "toolCallId")})
                          (when-let [result (element "toolResult")] {:id (result "toolUseId")})
                          (when-let [result (or (element "functionResponse") (element "function_response"))]
                            (if-let [id (not-empty (result "id"))] {:id id} {:name (not-empty (result "name"))}))]]
             result))))

(defn- pairs
  "[call result] indices of the messages."
  [messages]
  (loop [[[index message] & more] (map-indexed vector messages), open [], pairs []]
    (if-not message
      pairs
      (let [open (into open (map #(assoc % :at index)) (calls message))
            [open pairs]
            (reduce (fn [[open pairs] result]
                      (let [key   (if (:id result) :id :name)
                            call  (last (filter #(and (key result) (= (key result) (key %))) open))]
                        (if call
                          [(vec (remove #(identical? call %) open)) (conj pairs [(:at call) index])]
                          [open pairs])))
                    [open pairs]
                    (results message))]
        (recur more open pairs)))))

(defn- text [message]
  (let [{:strs [content parts]} message]
    (cond
      (string? content)     content
      (sequential? content) (get (first (filter some? [(first content)])) "text")
      (sequential? parts)   (get (first parts) "text"))))

(defn- summary? [message]
  (str/starts-with? (str (text message)) prefix))

(defn- plain-user? [message]
  (and (= "user" (message "role"))
       (empty? (calls message))
       (empty? (results message))
       (not (summary? message))
       (not= (tn/flush-reminder) (text message))))

(defn- leading [messages]
  (count (take-while #(and (#{"system" "developer"} (% "role")) (not (summary? %))) messages)))

(defn- utf16-estimate [messages]
  (reduce + (for [message messages]
              (quot (+ 3 (count (json/write-str message :escape-unicode false :escape-slash false :escape-js-separators false))) 4))))

(defn- same-objects? [some others]
  (and (= (count some) (count others))
       (every? true? (map identical? some others))))

(defn check
  "Compacts the messages by these options, which count UTF-16 units, and asserts what holds of plan and result. Gives the result
  of the hook."
  [options messages]
  (let [summary     "What was said 之前 🚀."
        seen        (atom [])
        options     (assoc options :summarize (fn [older] (swap! seen conj older) summary))
        messages    (vec messages)
        before      (json/write-str messages)
        plan        (tn/plan options messages)
        compaction  ((tn/compactor options) {:messages messages})
        plain       (keyed-by-strings messages)
        tokens      (utf16-estimate messages)
        {:keys [outcome head-end tail-start request]} plan]
    (testing (str "\n" (pr-str (dissoc options :summarize)) "\n" (pr-str plan) "\n" before "\n")
      (is (= before (json/write-str messages)) "the host's messages are what they were")
      (is (= tokens (:tokens plan) (tn/estimate-tokens messages)) "every message counts")
      (is (= (leading plain) head-end) "the leading instructions end where they end")
      (is (= (= :under-budget outcome) (<= tokens (:max-tokens options))) "the budget decides")
      (if-not (= :compact outcome)
        (do
          (is (nil? compaction) "nothing changes")
          (is (empty? @seen) "nothing is summarized"))
        (let [result            (:messages compaction)
              [start end]       (or request [tail-start tail-start])
              role              (name (:summary-role options :system))
              made              (cond-> [(str prefix summary)] (:flush-to-memory options) (conj (tn/flush-reminder)))
              kept-after        (+ head-end (count made))
              kept              (set (concat (range head-end) (range start end) (range tail-start (count messages))))
              plain-result      (keyed-by-strings result)]
          (is (vector? result))
          (is (= 1 (count @seen)) "summarize is asked once")
          (is (same-objects? (subvec messages head-end tail-start) (first @seen)) "older is whole and the host's own")
          (is (same-objects? (subvec messages 0 head-end) (subvec result 0 head-end)) "leading instructions are kept")
          (is (= (map (fn [content] {"role" role, "content" content}) made) (subvec plain-result head-end kept-after)))
          (is (same-objects? (concat (subvec messages start end) (subvec messages tail-start)) (subvec result kept-after))
              "request and tail are kept")
          (is (= (:tail-tokens plan) (utf16-estimate (subvec messages tail-start))))
          (is (every? (fn [[call result]] (= (contains? kept call) (contains? kept result))) (pairs plain))
              "no call is parted from its result")
          ;; A transcript that ends with the model's own message, and has no place to cut, is summarized whole.
          (when (and (= :steps (:split options :steps))
                     (not (and (= tail-start (count messages)) (#{"assistant" "model"} ((peek plain) "role")))))
            (when-let [request (last (filter #(plain-user? (plain %)) (range head-end (count plain))))]
              (is (plain-user? (first (drop-while #(#{"system" "developer"} (% "role")) plain-result)))
                  "the first message after the system's is a request")
              (is (some #(identical? (messages request) %) result) "the last request is there")))
          (is (= plain-result
                 (json/read-str ((tn/json-compactor (assoc options :summarize (constantly summary)))
                                 (json/write-str messages :escape-unicode false))))
              "the JSON road gives the same"))))
    compaction))
