(ns tn-compactor.loading-test
  "What a program sees that starts anew: a library that is missing or another, and the namespaces loaded."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is]]))

(defn- java
  "What another Java prints that evaluates this text."
  [flags text]
  (let [program (str (io/file (System/getProperty "java.home") "bin" "java"))
        command (concat [program] flags ["-cp" (System/getProperty "java.class.path") "clojure.main" "-e" text])
        process (.start (doto (ProcessBuilder. ^java.util.List (vec command))
                          (.redirectErrorStream true)))]
    (.close (.getOutputStream process))
    (let [output (slurp (.getInputStream process))]
      (.waitFor process)
      output)))

(deftest a-library-that-is-not-there-is-a-clean-error
  (let [output (java ["-Djna.library.path=/nowhere"]
                     "(require '[tn-compactor.core :as tn])
                      (dotimes [_ 2]
                        (try (tn/estimate-tokens []) (catch Exception e (prn (ex-data e) (ex-message e)))))")]
    (is (= 2 (count (re-seq #"#:tn-compactor\{:status :not-loaded\}" output))) output)
    (is (str/includes? output "-Djna.library.path=FOLDER says where it is") output)
    (is (str/includes? output "libtn_compactor.so") output)))

(deftest a-library-of-another-interface-is-not-used
  (let [output (java [(str "-Djna.library.path=" (System/getProperty "jna.library.path"))]
                     "(require '[tn-compactor.core :as tn] 'tn-compactor.native)
                      (alter-var-root #'tn-compactor.native/abi-version inc)
                      (try (prn (tn/version)) (catch Exception e (prn (ex-data e) (ex-message e))))")]
    (is (re-find #"#:tn-compactor\{:status :not-loaded\} \"libtn_compactor speaks version \d+ of its interface, expected \d+\""
                 output)
        output)))

(deftest the-namespaces-load-without-reflection-and-without-warnings
  (let [output (java []
                     "(do (set! *warn-on-reflection* true)
                          (require 'tn-compactor.core :reload-all)
                          (println \"loaded\"))")]
    (is (= ["loaded"] (remove #(str/includes? % "clojure/data/json") (str/split-lines output))))))
