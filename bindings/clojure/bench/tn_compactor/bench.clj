(ns tn-compactor.bench
  "Times the binding beside the algorithm of the hand-written ports, in one run, on a transcript of a megabyte.

    clojure -M:bench

  All that is compared runs by turns, so that what else the machine does falls on all alike. Fails where the two give
  different transcripts, or where the binding takes more than 1.25 times as long under budget."
  (:require [clojure.data.json :as json]
            [tn-compactor.core :as tn]
            [tn-compactor.hand-written :as hand-written])
  (:import (clojure.lang Keyword)
           (com.fasterxml.jackson.core JsonGenerator)
           (com.fasterxml.jackson.databind JsonSerializer ObjectMapper)
           (com.fasterxml.jackson.databind.module SimpleModule)
           (java.nio.charset StandardCharsets)
           (java.util Random)))

(set! *warn-on-reflection* true)

(def ^:private size 1000000)
(def ^:private allowed 1.25)
(def ^:private summary "What was said so far.")

(def ^:private sentences
  ["The build fails in the linker because the archive comes before the object that needs it."
   "I changed the parser, ran the tests again, and three of them still print the old offset."
   "请把这个函数改成线性的，然后再跑一遍测试。"
   "压缩之后的对话必须保留系统消息和最后一个问题。"
   "Done 🚀, and the benchmark is faster by a third 😀."
   "It answers {\"ok\": false, \"reason\": \"timeout\"}\nafter 30 s."])

(defn- utf8 ^bytes [^String text] (.getBytes text StandardCharsets/UTF_8))

(defn- written [value] (json/write-str value :escape-unicode false :escape-slash false))

(defn- transcript
  "Turns of a request, some tool calls with their results, and an answer."
  []
  (let [random (Random. 20)
        text   (fn [count] (apply str (interpose " " (repeatedly count #(nth sentences (.nextInt random 6))))))
        step   (fn [id]
                 [{:role "assistant" :content nil
                   :tool_calls [{:id id :type "function"
                                 :function {:name "run" :arguments (written {:command (text 1) :timeout 30})}}]}
                  {:role "tool" :tool_call_id id :content (text (+ 2 (.nextInt random 7)))}])
        turn   (fn [number]
                 (vec (concat [{:role "user" :content (text 2)}]
                              (mapcat #(step (str "call_" number "_" %)) (range (inc (.nextInt random 3))))
                              [{:role "assistant" :content (text 3)}])))]
    (loop [messages [{:role "system" :content "You are a careful engineer."}], filled 0, number 0]
      (if (< filled size)
        (let [turn (turn number)]
          (recur (into messages turn) (+ filled (alength (utf8 (written turn)))) (inc number)))
        messages))))

(def ^:private jackson
  "A faster writer, handed in as an option: Jackson, taught what a keyword is."
  (let [mapper (doto (ObjectMapper.)
                 (.registerModule
                  (doto (SimpleModule.)
                    (.addSerializer Keyword (proxy [JsonSerializer] []
                                              (serialize [value ^JsonGenerator out _]
                                                (.writeString out (name value)))))
                    (.addKeySerializer Keyword (proxy [JsonSerializer] []
                                                 (serialize [value ^JsonGenerator out _]
                                                   (.writeFieldName out ^String (name value))))))))]
    (fn [messages] (.writeValueAsBytes mapper messages))))

(defn- milliseconds [f]
  (let [before (System/nanoTime)]
    (f)
    (/ (- (System/nanoTime) before) 1e6)))

(defn- medians
  "Milliseconds of each, the median of so many runs by turns, after some to warm up."
  [warm-up runs timed]
  (let [turn (fn [] (update-vals timed milliseconds))]
    (dotimes [_ warm-up] (turn))
    (let [turns (doall (repeatedly runs turn))]
      (into {} (for [name (keys timed)]
                 [name (nth (sort (map name turns)) (quot runs 2))])))))

(defn- row [label milliseconds port]
  (println (format "  %-44s %9.2f ms %9s" label milliseconds (format "%.2f" (/ port milliseconds)))))

(defn -main []
  (let [messages (transcript)
        text     (written messages)
        tokens   (tn/estimate-tokens messages)
        agree    (fn [& results] (when-not (apply = results) (throw (ex-info "they give different transcripts" {}))))]
    (println (format "%d bytes, %d messages, %d tokens, JVM %s; medians of runs by turns; the last column: times as fast as by hand"
                     (alength (utf8 text)) (count messages) tokens (System/getProperty "java.version")))
    (agree tokens (hand-written/estimate-tokens messages))
    (let [tables
          (for [[what max-tokens warm-up runs] [["under budget" tokens 40 31] ["a quarter kept" (quot tokens 2) 2 7]]]
            (let [options   {:max-tokens max-tokens, :keep-tail (quot tokens 4), :split :turns, :summarize (constantly summary)}
                  event     {:messages messages}
                  by-hand   (hand-written/compactor options)
                  hook      (tn/compactor options)
                  fast      (tn/compactor (assoc options :write-json jackson))
                  json-road (tn/json-compactor options)
                  _         (agree (by-hand event) (hook event) (fast event)
                                   (some->> (json-road text) (#(json/read-str % :key-fn keyword)) (hash-map :messages)))
                  took      (medians warm-up runs {:by-hand   #(by-hand event)
                                                   :hook      #(hook event)
                                                   :fast      #(fast event)
                                                   :json-road #(json-road text)
                                                   :written   #(json/write-str messages)})
                  port      (:by-hand took)]
              (println what)
              (row "by hand" port port)
              (row "the hook, data.json" (:hook took) port)
              (row "the hook, Jackson as :write-json" (:fast took) port)
              (row "JSON text to JSON text" (:json-road took) port)
              (row "for comparison: data.json/write-str alone" (:written took) port)
              took))
          ratio  (let [{:keys [hook by-hand]} (first tables)] (/ hook by-hand))]
      (dorun tables)
      (println (format "under budget, the hook takes %.2f times as long as by hand; wanted: at most %.2f" ratio allowed))
      (shutdown-agents)
      (System/exit (if (<= ratio allowed) 0 1)))))
