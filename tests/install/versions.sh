# One version, from Cargo.toml, wherever a program or a packager may read it.

is_so "the changelog tells of it" grep -qE "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md
# macro NAME: of the header that is installed.
macro() { sed -n "s/^#define $1 //p" "$prefix/include/tn_compactor.h"; }
is_so "the header" same "$(macro TN_VERSION_MAJOR).$(macro TN_VERSION_MINOR).$(macro TN_VERSION_PATCH)" "$version"
is_so "the interface's version is the number in the library's name" same "$(macro TN_ABI_VERSION)" "$major"
is_so "the pkg-config file" same "$(sed -n 's/^Version: //p' "$prefix/lib/pkgconfig/tn_compactor.pc")" "$version"
is_so "Cargo.lock" same "$(grep -A 1 -xF 'name = "tn-compactor"' Cargo.lock | sed -n 's/^version = "\(.*\)"/\1/p')" "$version"
tells() { grep -qF "tn-compactor-$version.jar" README.md && grep -qF "find_package(tn_compactor ${version%.*} " README.md; }
is_so "the README" tells
is_so "pyproject.toml leaves it to Cargo.toml" grep -qxF 'dynamic = ["version"]' bindings/python/pyproject.toml
is_so "no other file of a package tells one" is_empty \
  "$(grep -nE '^ *(project\()?version *[=:]? *"?[0-9]' bindings/python/pyproject.toml bindings/clojure/deps.edn bindings/go/go.mod packaging/*)"

cat >"$consumer/version.c" <<'C'
#include <stdio.h>
#include "tn_compactor.h"

int main(void) {
  printf("%s %d\n", tn_version(), (int)tn_abi_version());
  return 0;
}
C
is_so "a program that asks the library builds" build version version.c -I"$prefix/include" -L"$prefix/lib" -ltn_compactor -Wl,-rpath,"$prefix/lib"
is_so "the library" same "$("$consumer/version")" "$version $major"
if [ -e "$module/go.mod" ]; then
  mkdir -p "$module/version"
  cat >"$module/version/main.go" <<'GO'
package main

import tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"

func main() { println(tncompactor.Version()) }
GO
  in_module go mod edit -replace=github.com/tn-compactor/tn_compactor/bindings/go="$root/bindings/go"
  is_so "Go" same "$(in_module go run ./version 2>&1)" "$version"
fi
if [ -e "$jvm/library.jar" ]; then
  is_so "Clojure" same "$(java -XX:TieredStopAtLevel=1 -cp "$found" clojure.main -e "(println ((requiring-resolve 'tn-compactor.core/version)))")" "$version"
  # maven FILE: the version in that file of the jar.
  maven() { python3 -m zipfile -e "$jvm/library.jar" "$jvm/unpacked" && cat "$jvm/unpacked/META-INF/maven/tn-compactor/tn-compactor/$1"; }
  is_so "the pom of the jar" prints "<artifactId>tn-compactor</artifactId><version>$version</version>" maven pom.xml
fi
