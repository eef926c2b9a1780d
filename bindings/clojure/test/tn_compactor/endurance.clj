(ns tn-compactor.endurance
  "Compacts transcripts over and over, and tells what the process holds before and after. tests/endurance/run judges it.

    clojure -M:endurance TIMES FILE..."
  (:require [clojure.data.json :as json]
            [tn-compactor.core :as tn]
            [tn-compactor.native :as native])
  (:import (com.sun.jna Memory)
           (java.nio.file Files Path)))

(defn- path ^Path [name]
  (Path/of name (make-array String 0)))

(defn- transcript
  "The transcript in a file, with a compactor of its text and a hook; nil where half of it is not to be compacted."
  [file]
  (let [text     (Files/readString (path file))
        messages (json/read-str text)
        options  {:max-tokens (quot (tn/estimate-tokens messages) 2)}
        recap    (fn [older] (str (count older) " of it."))
        it       {:text     text
                  :messages messages
                  :compact  (tn/json-compactor (assoc options :summarize recap))
                  :counted  (tn/json-compactor (assoc options
                                                      :summarize recap
                                                      :count-tokens (fn [messages] (quot (count messages) 4))))
                  :failing  (tn/json-compactor (assoc options :summarize (fn [_] (throw (InterruptedException. "stopped")))))
                  :hook     (tn/compactor (assoc options :summarize recap))}]
    (when (and ((:compact it) text) ((:counted it) text) ((:hook it) {:messages messages}))
      it)))

(defn- fails [kind f]
  (try
    (f)
    (throw (AssertionError. (str "no " kind)))
    (catch Exception thrown
      (when-not (instance? kind thrown) (throw thrown)))))

(defn- compacted
  "One compaction: every fourth with a count of the host, every 64th of objects, since data.json takes most of the time, and every
  sixteenth after failures."
  [turn {:keys [text messages compact counted failing hook]}]
  (when (zero? (mod turn 16))
    (fails InterruptedException #(failing text))
    (fails clojure.lang.ExceptionInfo #(tn/json-compactor {:max-tokens -1})))
  (cond
    (= 1 (mod turn 64)) (hook {:messages messages})
    (zero? (mod turn 4)) (counted text)
    :else (compact text)))

(def ^:private leak (System/getenv "TN_LEAK"))

(def ^:private kept (atom ()))

(defn- compact [transcripts times]
  (dotimes [turn times]
    (when-not (compacted turn (nth transcripts (mod turn (count transcripts))))
      (throw (AssertionError. "nothing was compacted")))
    (when leak (swap! kept conj (doto (Memory. 1000) .clear)))))

(defn- entries [folder]
  (with-open [names (Files/list (path folder))]
    (.count names)))

(defn- tell [when]
  (dotimes [_ 3]
    (System/gc)
    (Thread/sleep 50))
  ;; Not the virtual machine's own threads, which it starts and ends as it likes, but those of Java.
  (let [[_ resident] (re-find #"VmRSS:\s+(\d+) kB" (Files/readString (path "/proc/self/status")))]
    (println (str when ": " resident " KiB resident, " (entries "/proc/self/fd") " descriptors, "
                  (count (Thread/getAllStackTraces)) " threads, "
                  (.size ^java.util.Map @#'native/calls) " calls"))))

(defn -main [times & files]
  (let [times       (parse-long times)
        transcripts (vec (keep transcript files))]
    (compact transcripts (quot times 5))
    (tell "before")
    (compact transcripts times)
    (tell "after")
    (shutdown-agents)))
