(ns build
  "Makes the jar: the namespaces, a pom with what they need, and the shared library where JNA looks for it. The same sources give the
  same bytes.

    clojure -M:build"
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.string :as str])
  (:import (com.sun.jna Platform)
           (java.io File)
           (java.util.jar JarEntry JarOutputStream)))

(def ^:private root (io/file ".." ".."))

(def ^:private version
  "Cargo.toml has the version."
  (second (re-find #"(?m)^version = \"(.*)\"" (slurp (io/file root "Cargo.toml")))))

(defn- element [name & content]
  (str "<" name ">" (str/join content) "</" name ">"))

(defn- pom []
  (str "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
       "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">"
       (element "modelVersion" "4.0.0")
       (element "groupId" "tn-compactor") (element "artifactId" "tn-compactor") (element "version" version)
       (element "name" "tn-compactor")
       (element "description" "Decides where a long LLM agent transcript may be cut and replaced by a summary")
       (element "licenses" (element "license" (element "name" "MIT")))
       (apply element "dependencies"
              (for [[library {:mvn/keys [version]}] (sort (:deps (edn/read-string (slurp "deps.edn"))))]
                (element "dependency"
                         (element "groupId" (namespace library))
                         (element "artifactId" (name library))
                         (element "version" version))))
       "</project>\n"))

(def ^:private library-name (System/mapLibraryName "tn_compactor"))

(defn- entries
  "What is in the jar, by name: files, and text as a string."
  []
  (into (sorted-map)
        (concat
         [["META-INF/LICENSE" (io/file root "LICENSE")]
          ["META-INF/maven/tn-compactor/tn-compactor/pom.xml" (pom)]
          ["META-INF/maven/tn-compactor/tn-compactor/pom.properties"
           (str "groupId=tn-compactor\nartifactId=tn-compactor\nversion=" version "\n")]
          [(str Platform/RESOURCE_PREFIX "/" library-name) (io/file root "target" "release" library-name)]]
         (for [^File file (file-seq (io/file "src"))
               :when      (.isFile file)]
           [(str/replace (str (.relativize (.toPath (io/file "src")) (.toPath file))) File/separator "/") file]))))

(defn- put [^JarOutputStream jar ^String name content]
  ;; A time that is the same in every build, and that the format can tell.
  (.putNextEntry jar (doto (JarEntry. name) (.setTimeLocal (java.time.LocalDateTime/of 1980 1 1 0 0))))
  (if (string? content)
    (.write jar (.getBytes ^String content "UTF-8"))
    (io/copy content jar))
  (.closeEntry jar))

(defn -main []
  (let [file (io/file root "target" (str "tn-compactor-" version ".jar"))]
    (with-open [jar (JarOutputStream. (io/output-stream file))]
      (put jar "META-INF/MANIFEST.MF"
           (str "Manifest-Version: 1.0\nImplementation-Title: tn-compactor\nImplementation-Version: " version "\n"))
      (doseq [[name content] (entries)]
        (put jar name content)))
    (println (.getCanonicalPath file))))
