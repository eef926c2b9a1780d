(ns tn-compactor.hand-written
  "The algorithm of the hand-written ports, written out for the benchmark alone: toolnexus' own port for Clojure is on no
  registry that this project's tests reach. It measures every suffix from the end anew, as they do, each message by the JSON
  that it writes."
  (:require [clojure.data.json :as json]))

(defn estimate-tokens [messages]
  (transduce (map (fn [message]
                    (let [text (json/write-str message :escape-unicode false :escape-slash false :escape-js-separators false)]
                      (quot (+ 3 (count text)) 4))))
             + messages))

(defn- boundary? [{:keys [role content]}]
  (and (= "user" role)
       (not (and (sequential? content) (some #(= "tool_result" (:type %)) content)))))

(defn- split [messages head-end tail-budget]
  (let [end          (count messages)
        indices      (range (dec end) head-end -1)
        fits?        (fn [index] (<= (estimate-tokens (subvec messages index)) tail-budget))
        ;; Suffixes only grow, so none beyond the first that does not fit is measured.
        fitting      (filter #(boundary? (messages %)) (take-while fits? indices))]
    (or (last fitting)
        (first (filter #(boundary? (messages %)) indices))
        end)))

(defn compactor [{:keys [max-tokens keep-tail summarize]}]
  (let [tail-budget (or keep-tail (quot max-tokens 2))]
    (fn [{:keys [messages]}]
      (when (< max-tokens (estimate-tokens messages))
        (let [head-end   (if (= "system" (:role (first messages))) 1 0)
              tail-start (split messages head-end tail-budget)]
          (when (< head-end tail-start)
            (let [summary (summarize (subvec messages head-end tail-start))]
              {:messages (-> (subvec messages 0 head-end)
                             (conj {:role "system" :content (str "[Summary of earlier conversation]\n" summary)})
                             (into (subvec messages tail-start)))})))))))
