(ns tn-compactor.callback-test
  (:require [clojure.data.json :as json]
            [clojure.test :refer [deftest is]]
            [tn-compactor.core :as tn]
            [tn-compactor.core-test :refer [compact conversation options]]
            [tn-compactor.native :as native])
  (:import (java.util.concurrent Callable CyclicBarrier Executors Future)))

(defn- collect-garbage []
  (dotimes [_ 3]
    (System/gc)
    (doall (repeatedly 100 #(byte-array 10000)))))

(deftest callbacks-are-not-collected-while-the-library-calls-them
  (let [counting  (fn [messages] (collect-garbage) (tn/estimate-tokens messages))
        summarize (fn [older] (collect-garbage) (str (count (json/read-str older)) " messages about soil 🥕"))]
    (dotimes [_ 3]
      (is (= (compact options) (compact (assoc options :count-tokens counting))))
      (is (= (json/read-str (json/write-str (compact options)))
             (json/read-str ((tn/json-compactor (assoc options :count-tokens (comp counting json/read-str), :summarize summarize))
                             (json/write-str conversation))))))))

(deftest a-callback-may-compact
  (let [inner  (atom [])
        nested (fn [messages] (swap! inner conj (compact options)) (tn/estimate-tokens messages))]
    (is (= (compact options) (compact (assoc options :count-tokens nested))))
    (is (seq @inner))
    (is (apply = (compact options) @inner))
    (let [error (ex-info "inner" {})]
      (is (= (compact options)
             (compact (assoc options :count-tokens (fn [messages]
                                                     (try
                                                       (tn/plan (assoc options :count-tokens (fn [_] (throw error))) messages)
                                                       (catch Exception e
                                                         (is (identical? error e))))
                                                     (tn/estimate-tokens messages)))))
          "what an inner call throws is not the outer one's"))))

(defn- calls-known []
  (.size ^java.util.Map @#'native/calls))

(deftest no-call-is-remembered-when-it-is-over
  (compact (assoc options :count-tokens tn/estimate-tokens))
  (try (compact (assoc options :count-tokens (fn [_] (throw (ex-info "no" {}))))) (catch Exception _))
  (let [during (atom nil)]
    (compact (assoc options :count-tokens (fn [messages] (reset! during (calls-known)) (count messages))))
    (is (= 1 @during)))
  (is (zero? (calls-known))))

(deftest many-threads-share-one-compactor
  (let [threads  16
        rounds   150
        barrier  (CyclicBarrier. threads)
        executor (Executors/newFixedThreadPool threads)
        who      (fn [messages] (:content (first messages)))
        hook     (tn/compactor (assoc options
                                      :summarize (fn [older]
                                                   (let [text (:content (first older))]
                                                     (when (re-find #"7$" text) (throw (ex-info text {:who text})))
                                                     text))
                                      :count-tokens (fn [messages]
                                                      (when (re-find #"^13 " (who messages))
                                                        (throw (ex-info "unlucky" {:who (who messages)})))
                                                      (tn/estimate-tokens messages))))
        run      (fn [thread]
                   (.await barrier)
                   (vec (for [round (range rounds)]
                          (let [name     (str thread " 🥕 " round)
                                messages (-> conversation (assoc-in [0 :content] name) (assoc-in [1 :content] name))]
                            (try
                              (let [result (:messages (hook {:messages messages}))]
                                (and (= (str (tn/summary-prefix) name) (:content (result 1)))
                                     (identical? (messages 0) (result 0))
                                     (identical? (peek messages) (peek result))))
                              (catch clojure.lang.ExceptionInfo e
                                (and (= name (:who (ex-data e)))
                                     (= (= "unlucky" (ex-message e)) (= 13 thread))
                                     (or (= 13 thread) (some? (re-find #"7$" name))))))))))]
    (try
      (let [outcomes (mapv #(.get ^Future %)
                           (.invokeAll executor ^java.util.Collection (mapv (fn [thread] ^Callable #(run thread)) (range threads))))]
        (is (= (* threads rounds) (count (apply concat outcomes))))
        (is (every? true? (apply concat outcomes)))
        (is (zero? (calls-known))))
      (finally (.shutdownNow executor)))))

(deftest an-interrupt-in-a-callback-is-the-host's-own
  (let [waiting (promise)
        thrown  (promise)
        thread  (Thread. (fn []
                           (try
                             (compact (assoc options :count-tokens (fn [_] (deliver waiting true) (Thread/sleep 60000) 0)))
                             (deliver thrown nil)
                             (catch Throwable e (deliver thrown e)))))]
    (.start thread)
    @waiting
    (.interrupt thread)
    (is (instance? InterruptedException (deref thrown 10000 :nothing)))))

(deftest a-collection-between-two-calls-takes-no-callback-away
  (let [asked (atom 0)
        hook  (tn/compactor (assoc options :count-tokens (fn [messages] (swap! asked inc) (tn/estimate-tokens messages))))
        json  (tn/json-compactor (assoc options :summarize (fn [older] (str (count older) " characters"))))
        text  (json/write-str conversation)
        first-of-each [(hook {:messages conversation}) (json text)]]
    (is (every? some? first-of-each))
    (dotimes [_ 20]
      (collect-garbage)
      (is (= first-of-each [(hook {:messages conversation}) (json text)])))
    (is (<= 21 @asked))))

(deftest a-thread-that-is-interrupted-already-compacts-and-stays-interrupted
  (let [found  (promise)
        thread (Thread. (fn []
                          (.interrupt (Thread/currentThread))
                          (let [compacted (compact (assoc options :count-tokens tn/estimate-tokens))]
                            (deliver found [compacted (.isInterrupted (Thread/currentThread))]))))]
    (.start thread)
    (is (= [(compact options) true] (deref found 10000 :nothing)))))

(deftest after-an-interrupt-in-a-callback-the-next-call-works
  (let [interrupted (fn [_] (.interrupt (Thread/currentThread)) (Thread/sleep 60000) "never")
        text        (json/write-str conversation)
        expected    ((tn/json-compactor (assoc options :summarize (constantly "s"))) text)
        thrown      (atom [])
        answers     (promise)]
    (.start (Thread. (fn []
                       (doseq [call [#(compact (assoc options :summarize interrupted))
                                     #((tn/json-compactor (assoc options :summarize interrupted)) text)]]
                         (try (call) (catch InterruptedException e (swap! thrown conj e))))
                       (deliver answers ((tn/json-compactor (assoc options :summarize (constantly "s"))) text)))))
    (is (= expected (deref answers 10000 :nothing)))
    (is (= 2 (count @thrown)))
    (is (zero? (calls-known)))))
