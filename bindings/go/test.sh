#!/usr/bin/env bash
# Every test of the Go binding, on the library in target/release. The last line is "N passed, N failed, N skipped".
#
# TN_TRANSCRIPTS names another folder of real transcripts than ../shared/transcripts.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
binding=$root/bindings/go
built=$root/target/tests/go
# shellcheck source=tests/check.sh
. tests/check.sh


# go_tests NAME FOLDER ARGUMENTS...: go test -v there. Each test that holds no others is counted, each skip told with its reason. A
# package that does not build, or that ends before its tests do, is a failure too.
go_tests() {
  local name=$1 folder=$2 log="$built/${1// /-}.log" status p f s
  shift 2
  (cd "$folder" && go test -v -count=1 -timeout 20m "$@") >"$log" 2>&1
  status=$?
  read -r p f s < <(awk '
    /^ *--- (PASS|FAIL|SKIP): / {
      kind = substr($2, 1, 4)
      test = package_number + 0 " " $3
      of[test] = kind
      while (sub(/\/[^\/]*$/, "", test)) holds[test] = 1
    }
    /^(ok|FAIL|---|\?) *\t/ { package_number++ }
    END {
      for (test in of) if (!(test in holds)) n[of[test]]++
      print n["PASS"] + 0, n["FAIL"] + 0, n["SKIP"] + 0
    }' "$log")
  grep -B 1 -E '^ *--- SKIP: ' "$log" | sed -nE 's/^ *[a-z_]+_test\.go:[0-9]+: /SKIP /p'
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  echo "$name: $p passed, $f failed, $s skipped"
  if [ "$status" -ne 0 ]; then
    grep -vE '^ *(=== |--- PASS)' "$log" | tail -n 60
    [ "$f" -gt 0 ] || fail "$name: go test ended with status $status"
  elif [ "$p" -eq 0 ]; then
    fail "$name: no test passed"
  fi
}

if ! command -v go >/dev/null; then
  skip "go" "Go 1.24 or newer is not installed"
  finish
fi
version=$(go env GOVERSION | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
if [ "$(printf '%s\n1.24\n' "$version" | sort -V | head -n 1)" != 1.24 ]; then
  skip "go" "this is Go $version, and 1.24 or newer is needed"
  finish
fi
if ! command -v "${CC:-cc}" >/dev/null; then
  skip "go" "cgo needs a C compiler, and there is none"
  finish
fi
if [ ! -e target/release/libtn_compactor.so ] || [ ! -e target/release/libtn_compactor.a ]; then
  fail "the library is in target/release: run make first"
  finish
fi
rm -rf "$built"
mkdir -p "$built"
export CGO_ENABLED=1 GOFLAGS="${GOFLAGS:-} -buildvcs=false"

# The sources.
is_so "the sources are formatted" is_empty "$(gofmt -l "$binding")"
is_so "no file but link.go has link flags" is_empty "$(grep -rlE '^ *// *#cgo ' "$binding" --include='*.go' | grep -v '/link\.go$')"
is_so "no prototype of the library is written again" is_empty "$(grep -nE '\btn_[a-z_]+\([a-z]' "$binding"/*.h | grep -v tn_go_)"
is_so "the module has no dependency" is_empty "$(go -C "$binding" list -m all | tail -n +2)"
is_so "go vet is content" go -C "$binding" vet ./...
is_so "go vet is content with the benchmark" go -C "$binding/bench" vet .

# The tests. Those that watch the memory are left out under the race detector, which needs memory of its own.
go_tests "under the race detector" "$binding" -race ./...
go_tests "memory" "$binding" -run 'DoNotGrow|AreFreed' .

# How the library is found: by the binding in the checkout, and by a copy of it where nothing is found by itself.
away=$built/away
mkdir -p "$away/include" "$away/lib"
cp -R "$binding" "$away/copy"
cp include/tn_compactor.h "$away/include/"
cp target/release/libtn_compactor.so "$away/lib/"
ln -s libtn_compactor.so "$away/lib/libtn_compactor.so.0"
cat >"$away/lib/tn_compactor.pc" <<PC
Name: tn_compactor
Description: Decides where a long transcript may be cut
Version: 0
Cflags: -I$away/include
Libs: -L$away/lib -ltn_compactor -Wl,-rpath,$away/lib
PC
# example NAME FOLDER ARGUMENTS...: builds an example there and runs it.
example() {
  local name=$1 folder=$2
  shift 2
  go -C "$folder" build "$@" -o "$built/$name" ./examples/toolcalls && prints "8 messages about carrots." "$built/$name"
}
at_the_path() { CGO_CFLAGS="-I$away/include" CGO_LDFLAGS="-L$away/lib -Wl,-rpath,$away/lib" example at-a-path "$away/copy"; }
by_pkg_config() { PKG_CONFIG_PATH="$away/lib" example by-pkg-config "$away/copy" -tags tn_pkgconfig; }
without_cgo() { prints "tn_compactor_needs_cgo_set_CGO_ENABLED_to_1" env CGO_ENABLED=0 go -C "$binding" build .; }

is_so "the library of the checkout is found" example in-the-checkout "$binding"
is_so "without a header, the compiler names it" prints tn_compactor.h go -C "$away/copy" build .
is_so "the library is found at a path" at_the_path
is_so "that program runs with that library" prints "$away/lib/libtn_compactor.so.0" ldd "$built/at-a-path"
command -v pkg-config >/dev/null || { [ "$(id -u)" -eq 0 ] && apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends pkg-config; } >"$built/apt.log" 2>&1
if command -v pkg-config >/dev/null; then
  is_so "the library is found by pkg-config" by_pkg_config
  is_so "that program runs with that library too" prints "$away/lib/libtn_compactor.so.0" ldd "$built/by-pkg-config"
else
  skip "go pkg-config" "pkg-config is not installed"
fi
is_so "the static library is linked" example static "$binding" -tags tn_static
is_so "that program needs no shared one" is_empty "$(ldd "$built/static" | grep tn_compactor)"
is_so "without cgo, the compiler says so" without_cgo

# What the documentation shows.
for document in README.md bindings/go/README.md docs/go.md; do
  is_so "what $document shows of Go works from an empty folder" bindings/go/readme.sh "$document"
done

# The port and the client that the nested module is made for. Their module is taken into a copy of go.mod.
nested=$binding/toolnexus
port=$(awk '$1 == "github.com/muthuishere/toolnexus/golang" { print $1 "@" $2 }' "$nested/go.mod")
cp "$nested/go.mod" "$built/toolnexus.mod"
cp "$nested/go.sum" "$built/toolnexus.sum"
is_so "the nested module names the port" test -n "$port"
if go -C "$nested" get -modfile="$built/toolnexus.mod" "$port" >"$built/toolnexus.log" 2>&1; then
  export GOFLAGS="$GOFLAGS -modfile=$built/toolnexus.mod -mod=mod"
  is_so "go vet is content with the nested module" go -C "$nested" vet ./...
  go_tests "beside the port of toolnexus" "$nested" -race ./...
else
  reason=$(grep -oE '\b[45][0-9][0-9] [A-Z][A-Za-z ]+' "$built/toolnexus.log" | head -n 1)
  skip "go toolnexus" "the module proxy does not serve $port (${reason:-it was not reached})"
fi
finish
