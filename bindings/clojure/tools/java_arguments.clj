;; Prints, one a line, what `java` is called with for the deps.edn of the current folder and the aliases given.

(require '[clojure.string :as str]
         '[clojure.tools.deps :as deps])

(let [aliases                    (mapv keyword *command-line-args*)
      {:keys [argmap classpath-roots]} (deps/create-basis {:user nil, :aliases aliases})]
  (run! println (concat (:jvm-opts argmap)
                        ["-cp" (str/join java.io.File/pathSeparator classpath-roots) "clojure.main"]
                        (:main-opts argmap))))

(shutdown-agents)
