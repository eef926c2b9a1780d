(ns tn-compactor.generated-test
  "Transcripts made up by chance, with emoji and Chinese. TN_SEED chooses others."
  (:require [clojure.data.json :as json]
            [clojure.test :refer [deftest is]]
            [tn-compactor.core :as tn]
            [tn-compactor.promises :as promises])
  (:import (java.util Random)))

(def ^:private seed (or (some-> (System/getenv "TN_SEED") parse-long) 20))

(def ^:private transcripts 3000)

(def ^:private sentences
  ["Which soil suits carrots?" "请把这个函数改成线性的。" "Done 🚀." "It answers {\"ok\": false}\nafter 30 s.\t\\" "压缩之后 𝄞 👩‍👩‍👧"
   "é\u2028ü\u2029" "\u0000\u001b/" "" "Compost, then leeks."])

(defn- text [^Random random most]
  (apply str (repeatedly (.nextInt random most) #(rand-nth sentences))))

;; rand-nth draws from the same source.
(defmacro ^:private with-random [random & body]
  `(with-redefs [rand-nth (fn [from#] (nth from# (.nextInt ~random (count from#))))]
     ~@body))

(defn- calls [random number]
  (vec (for [_ (range (inc (.nextInt ^Random random 2)))]
         {:id (str "call_" (swap! number inc)), :arguments {:query (text random 3)}})))

(def ^:private steps
  "A step of each dialect: the model's call or calls, and their results."
  {:openai    (fn [random number]
                (let [calls (calls random number)]
                  (into [{:role "assistant" :content nil
                          :tool_calls (for [{:keys [id arguments]} calls]
                                        {:id id :type "function" :function {:name "search" :arguments (json/write-str arguments)}})}]
                        (for [{:keys [id]} calls]
                          {:role "tool" :tool_call_id id :content (text random 8)}))))
   :anthropic (fn [random number]
                (let [calls (calls random number)]
                  [{:role "assistant" :content (into [{:type "text" :text (text random 2)}]
                                                     (for [{:keys [id arguments]} calls]
                                                       {:type "tool_use" :id id :name "search" :input arguments}))}
                   {:role "user" :content (for [{:keys [id]} calls]
                                            {:type "tool_result" :tool_use_id id :content (text random 8)})}]))
   :gemini    (fn [random number]
                (let [calls (calls random number)]
                  [{:role "model" :parts (for [{:keys [id arguments]} calls]
                                           {:functionCall {:id id :name "search" :args arguments}})}
                   {:role "user" :parts (for [{:keys [id]} calls]
                                          {:functionResponse {:id id :name "search" :response {:text (text random 8)}}})}]))})

(defn- transcript
  "Leading instructions, an earlier summary now and then, turns of a request, some steps and an answer; and sometimes a call that
  still waits for its result, or a result that comes late."
  [^Random random]
  (let [number  (atom 0)
        dialect (rand-nth [:openai :anthropic :gemini])
        step    #((steps dialect) random number)
        turn    (fn []
                  (concat [{:role "user" :content (text random 6)}]
                          (mapcat (fn [_] (step)) (range (.nextInt random 5)))
                          (when (pos? (.nextInt random 4))
                            [{:role "assistant" :content (text random 6)}])))
        late    (fn [messages]
                  (if (and (< 3 (count messages)) (zero? (.nextInt random 8)))
                    (let [from (.nextInt random (dec (count messages)))]
                      (concat (take from messages) (drop (inc from) messages) [(nth messages from)]))
                    messages))
        mixed   (concat (repeatedly (.nextInt random 3) #(hash-map :role (rand-nth ["system" "developer"]) :content (text random 4)))
                        (when (zero? (.nextInt random 4))
                          [{:role "system" :content (str (tn/summary-prefix) (text random 4))}])
                        (late (mapcat (fn [_] (turn)) (range (inc (.nextInt random 6)))))
                        (when (zero? (.nextInt random 4))
                          (butlast (step))))]
    (vec mixed)))

(defn- settings
  "Options that make a difference to this transcript."
  [^Random random messages]
  (let [size       (tn/estimate-tokens messages)
        max-tokens (long (* size (rand-nth [0 1/10 1/4 1/2 3/4 1])))
        keep-tail  (rand-nth [nil 0 (quot max-tokens 10) (quot max-tokens 2) (* 2 max-tokens)])]
    (cond-> {:max-tokens      max-tokens
             :split           (rand-nth [:steps :turns])
             :flush-to-memory (.nextBoolean random)}
      keep-tail (assoc :keep-tail keep-tail))))

(deftest generated-transcripts-keep-every-promise
  (let [random    (Random. seed)
        compacted (atom 0)]
    (with-random random
      (dotimes [n transcripts]
        (let [messages (transcript random)
              messages (if (even? n) messages (promises/keyed-by-strings messages))]
          (when (promises/check (settings random messages) messages)
            (swap! compacted inc)))))
    (is (< (quot transcripts 3) @compacted transcripts) "else the transcripts say little")))

(deftest compacting-again-and-again-comes-to-an-end
  (let [random (Random. (inc seed))]
    (with-random random
      (dotimes [_ 300]
        (let [messages (transcript random)
              options  (assoc (settings random messages) :summarize (constantly "short"))
              hook     (tn/compactor options)
              results  (take-while some? (iterate hook {:messages messages}))]
          (is (< (count (take 20 results)) 20) (str (pr-str options) "\n" (json/write-str messages))))))))
