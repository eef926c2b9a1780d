# The jar, with the library inside: the Clojure program of the README runs with it where no property says where the library is, and
# one that a property names still comes first.

jvm=$away/jvm
jar=$root/target/tn-compactor-$version.jar
mkdir -p "$jvm"
if ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
  skip "install jar" "Java and Maven are not both installed"
else
  rm -f "$jar"
  is_so "make jar" make jar
  cp "$jar" "$jvm/first.jar"
  touch bindings/clojure/src/tn_compactor/*.clj
  is_so "make jar, again" make jar
  is_so "the second jar is the first, byte for byte" cmp "$jar" "$jvm/first.jar"
  cp "$jar" "$jvm/library.jar"

  example clojure >"$jvm/hello.clj"
  echo "{:deps {tn-compactor/tn-compactor {:local/root \"$jvm/library.jar\"}}}" >"$jvm/deps.edn"
  classpath() { (cd "$jvm" && "$root/bindings/clojure/tools/clojure" -M -e '(println (System/getProperty "java.class.path"))' | tail -n 1); }
  found=$(classpath)
  is_so "deps.edn takes the jar and what its pom asks for" grep -qE 'library\.jar.*jna-[0-9.]+\.jar' <<<"$found"
  is_so "nothing of the tree is on the class path" is_empty "$(tr ':' '\n' <<<"$found" | grep -F "$root")"
  clojure() { env -u LD_LIBRARY_PATH -C "$jvm" java -XX:TieredStopAtLevel=1 "$@" -cp "$found" clojure.main hello.clj; }
  is_so "the program runs with no property set" summarized clojure
  is_so "the library is the jar's" prints "linux-x86-64/libtn_compactor.so" clojure -Djna.debug_load=true
  is_so "a library that jna.library.path names comes first" summarized clojure -Djna.library.path="$prefix/lib"
  is_so "it is that one" prints "Found library 'tn_compactor' at $prefix/lib/libtn_compactor.so" clojure -Djna.library.path="$prefix/lib" -Djna.debug_load=true
  is_so "a library of another interface is refused" refuses "speaks version 4711 of its interface" clojure -Djna.library.path="$away/another"
fi
