(ns tn-compactor.skipping)

(def ^:dynamic *skipped* (atom false))

(defn skip
  "Says that a test could not be run here, and why."
  [name reason]
  (reset! *skipped* true)
  (println (str "SKIP " name ": " reason)))
