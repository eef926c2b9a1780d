(ns tn-compactor.run-tests
  "Runs the tests, one by one: a test passes if all that it asserts holds. The last line is N passed, N failed, N skipped.

    clojure -M:test [NAMESPACE...]"
  (:require [clojure.test :as t]
            [tn-compactor.skipping :as skipping]))

(def ^:private namespaces
  '[tn-compactor.core-test
    tn-compactor.json-test
    tn-compactor.failure-test
    tn-compactor.callback-test
    tn-compactor.cases-test
    tn-compactor.generated-test
    tn-compactor.real-transcripts-test
    tn-compactor.examples-test
    tn-compactor.loading-test
    tn-compactor.memory-test])

(defn- run-test
  "Whether the test passed, failed, or was skipped."
  [test]
  (binding [t/*report-counters* (ref t/*initial-report-counters*)
            skipping/*skipped*  (atom false)]
    (t/test-vars [test])
    (let [{:keys [pass fail error]} @t/*report-counters*
          outcome                   (cond
                                      (pos? (+ fail error))   :failed
                                      @skipping/*skipped*     :skipped
                                      (pos? pass)             :passed
                                      ;; What asserts nothing cannot fail, and so tells nothing.
                                      :else                   :failed)]
      (println (name outcome) (str (symbol test)))
      outcome)))

(defn -main [& chosen]
  (let [chosen   (or (seq (map symbol chosen)) namespaces)
        _        (run! require chosen)
        tests    (for [namespace chosen
                       [_ test]  (sort-by (comp :line meta val) (ns-interns namespace))
                       :when     (:test (meta test))]
                   test)
        outcomes (frequencies (mapv run-test tests))
        figure   #(get outcomes % 0)]
    (println (str (figure :passed) " passed, " (figure :failed) " failed, " (figure :skipped) " skipped"))
    (shutdown-agents)
    (System/exit (if (zero? (figure :failed)) 0 1))))
