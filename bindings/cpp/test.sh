#!/usr/bin/env bash
# Every test of the C++ interface. Ends with one line: N passed, N failed, N skipped.
#
# CXX may name another compiler. As root it installs what is missing from Debian: libcurl for one example, doxygen.
set -u
cd "$(dirname "$0")/../.." || exit 1

here=bindings/cpp
built=target/tests/cpp
library=target/release
cxx=${CXX:-c++}
warnings=(-Wall -Wextra -pedantic-errors -Werror -Wconversion -Wsign-conversion -Wshadow)
sanitizers=(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
links=(-L"$library" -ltn_compactor -Wl,-rpath,"$PWD/$library" -pthread)
sources=(check json generate promises cases generated real_transcripts interface callables threads)
# shellcheck source=tests/check.sh
. tests/check.sh

compile() { "$cxx" -std=c++17 "${warnings[@]}" -Iinclude -I"$here/test" "$@"; }

# Runs a program of tests and counts its lines: as many as it announced, or it fails.
run() {
  local name=$1 log="$built/$1.log" announced ran status
  shift
  timeout 900 env "$@" "$built/$name" >"$log" 2>&1
  status=$?
  grep -E '^(ok|not ok|SKIP|#) ' "$log" | cut -c1-4000
  announced=$(sed -n 's/^1\.\.//p' "$log" | head -n 1)
  ran=$(grep -cE '^(ok|not ok|SKIP) ' "$log")
  passed=$((passed + $(grep -c '^ok ' "$log"))) failed=$((failed + $(grep -c '^not ok ' "$log"))) skipped=$((skipped + $(grep -c '^SKIP ' "$log")))
  if [ "${announced:-0}" -eq 0 ] || [ "$ran" -ne "$announced" ]; then
    tail -n 40 "$log"
    fail "$name: it ended with status $status after $ran of ${announced:-0} tests"
  elif [ "$status" -ne 0 ] && ! grep -q '^not ok ' "$log"; then
    tail -n 40 "$log"
    fail "$name: it ended with status $status"
  fi
}

if ! command -v "$cxx" >/dev/null; then
  skip "C++" "there is no C++ compiler; install g++, or name another in CXX"
  finish
fi
if [ ! -e "$library/libtn_compactor.so" ]; then
  fail "the library is built: run make first"
  finish
fi
rm -rf "$built"
mkdir -p "$built"

has_curl() { "$cxx" -x c++ -fsyntax-only - <<<'#include <curl/curl.h>' 2>/dev/null; }
missing=()
has_curl || missing+=(libcurl4-openssl-dev)
command -v doxygen >/dev/null || missing+=(doxygen)
if [ "${#missing[@]}" -gt 0 ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$built/apt.log" 2>&1 ||
    tail -n 5 "$built/apt.log"
fi

# ---- the header ----

printf '#include "tn_compactor.hpp"\nint alone();\nint alone() { return static_cast<int>(tn::version().size()); }\n' >"$built/alone.cpp"
printf '#include "tn_compactor.h"\n#include "tn_compactor.hpp"\n#include "tn_compactor.hpp"\nint alone();\nint main() { return alone() == static_cast<int>(tn::version().size()) ? 0 : 1; }\n' >"$built/twice.cpp"
# Compilers that are not there are not asked.
for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null || continue
  for standard in c++17 c++20; do
    flags=(-std="$standard" "${warnings[@]}" -Iinclude)
    for text in alone twice; do
      is_so "$compiler -std=$standard: the header compiles, included $text" "$compiler" "${flags[@]}" -c "$built/$text.cpp" -o "$built/$text.o"
    done
    is_so "$compiler -std=$standard: two files that include it are one program" "$compiler" "$built/alone.o" "$built/twice.o" "${links[@]}" -o "$built/both" &&
      is_so "$compiler -std=$standard: which runs" "$built/both"
  done
  # As C++17 they are built below.
  for source in interface callables threads; do
    is_so "$compiler -std=$standard: every use in $source.cpp compiles" "$compiler" "${flags[@]}" -I"$here/test" -fsyntax-only "$here/test/$source.cpp"
  done
done
output=$("$cxx" -std=c++14 -Iinclude -fsyntax-only "$built/alone.cpp" 2>&1)
if grep -q 'needs C++17 or newer' <<<"$output"; then pass "an older standard is refused with a word on why"; else fail "an older standard is refused with a word on why: $output"; fi

is_so "the misuses compile but for the misuse" compile -DMISUSE=0 -fsyntax-only "$here/test/misuse.cpp"
for number in $(grep -oE 'MISUSE == [1-9][0-9]*' "$here/test/misuse.cpp" | grep -oE '[0-9]+'); do
  why=$(grep -A1 -E "MISUSE == $number\$" "$here/test/misuse.cpp" | sed -n 's/.*WHY: //p')
  output=$(compile -DMISUSE="$number" -fsyntax-only "$here/test/misuse.cpp" 2>&1)
  status=$?
  # What the compiler shows of the source has the word in it as well.
  if [ "$status" -ne 0 ] && [ -n "$why" ] && sed 's|//.*||' <<<"$output" | grep -qE "$why"; then
    pass "misuse $number is refused: $why"
  else
    printf '%s\n' "$output" | head -n 10
    fail "misuse $number is refused: $why"
  fi
done

if ! command -v doxygen >/dev/null; then
  skip "documentation" "doxygen is not installed"
else
  # Without HTML it does not read the comments, and warns of all of them.
  printf '%s\n' 'INPUT=include/tn_compactor.hpp' "OUTPUT_DIRECTORY=$built/documentation" GENERATE_LATEX=NO HAVE_DOT=NO QUIET=YES \
    WARN_IF_UNDOCUMENTED=YES WARN_AS_ERROR=YES >"$built/Doxyfile"
  mkdir -p "$built/documentation"
  is_so "everything public is documented" doxygen "$built/Doxyfile"
fi

# ---- the tests ----

# A test source that nothing names would never run.
for source in "$here"/test/*.cpp; do
  name=$(basename "$source" .cpp)
  case " ${sources[*]} memory other_abi designated leak misuse " in
    *" $name "*) ;;
    *) fail "$source is run by nothing" ;;
  esac
done

if ! "$cxx" -x c++ "${sanitizers[@]}" - -o "$built/sanitized" <<<'int main() {}' 2>/dev/null || ! "$built/sanitized"; then
  skip "sanitizers" "$cxx cannot use AddressSanitizer and UndefinedBehaviorSanitizer here; the tests run without"
  sanitizers=()
elif is_so "a program that leaks compiles" compile "${sanitizers[@]}" -g "$here/test/leak.cpp" "${links[@]}" -o "$built/leak"; then
  if output=$("$built/leak" 2>&1) || ! grep -q 'byte(s) leaked' <<<"$output"; then
    fail "a leak of the library's text is seen: $output"
  else
    pass "a leak of the library's text is seen"
  fi
fi

built_all=yes
objects=("${sources[@]/#/$built/}")
objects=("${objects[@]/%/.o}")
for source in "${sources[@]}"; do
  echo "$source"
done | xargs -P 2 -I NAME "$cxx" -std=c++17 "${warnings[@]}" -O1 -g "${sanitizers[@]}" -Iinclude -I"$here/test" -c "$here/test/NAME.cpp" -o "$built/NAME.o" || built_all=
if [ -n "$built_all" ] && is_so "the tests compile" "$cxx" "${sanitizers[@]}" "${objects[@]}" "${links[@]}" -o "$built/tests"; then
  run tests ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
else
  fail "the tests compile"
fi

is_so "the tests of memory compile" compile -O2 -g "$here"/test/{memory,check,generate,json}.cpp "${links[@]}" -o "$built/memory" && run memory
is_so "a program for another interface compiles" compile "$here"/test/{other_abi,check}.cpp "${links[@]}" -o "$built/other_abi" && run other_abi
is_so "options by their names compile as C++20" "$cxx" -std=c++20 "${warnings[@]}" -Iinclude "$here"/test/{designated,check}.cpp "${links[@]}" -o "$built/designated" &&
  run designated
# Exceptions pass through the archive as they do through the shared library.
is_so "the tests of callables link with the archive" compile "$here"/test/{callables,check,generate,json}.cpp "$library/libtn_compactor.a" -pthread -ldl -o "$built/static" &&
  run static

# ---- the examples and what the documents show ----

examples_built=yes
for example in under_budget tool_calls own_messages; do
  is_so "the example $example compiles" compile "$here/examples/$example.cpp" "${links[@]}" -o "$built/$example" || examples_built=
done
without_send=()
if ! has_curl; then
  skip "the example send" "libcurl's header is not installed: libcurl4-openssl-dev"
  without_send=(--without-send)
elif ! is_so "the example send compiles" compile "$here/examples/send.cpp" "${links[@]}" -lcurl -o "$built/send"; then
  examples_built=
fi
if ! command -v python3 >/dev/null; then
  skip "the examples" "python3 is not installed"
elif [ -n "$examples_built" ]; then
  output=$(python3 "$here/test/examples.py" "$built" "${without_send[@]}" 2>&1)
  printf '%s\n' "$output"
  ok=$(grep -c '^ok ' <<<"$output") not_ok=$(grep -c '^not ok ' <<<"$output")
  passed=$((passed + ok)) failed=$((failed + not_ok))
  [ $((ok + not_ok)) -eq $((4 - ${#without_send[@]})) ] || fail "all examples run"
fi

# The blocks of this folder's README, and those in the header's comments: the first is a program, the others are parts of one.
awk -v built="$built" '/^```cpp$/ { inside = 1; n++; next } /^```$/ { inside = 0 } inside { print > (built "/block" n ".cpp") }' "$here/README.md"
awk -v built="$built" '
  BEGIN { n = 10 }
  /@code\{\.cpp\}/ { inside = 1; n++; file = built "/block" n ".cpp"
    print "#include \"tn_compactor.hpp\"\nvoid shown();\nvoid shown() {" > file; next }
  /@endcode/ { inside = 0; print "}" > file }
  inside { sub(/^ *\/\/\/ ?/, ""); print > file }' include/tn_compactor.hpp
for block in "$built"/block*.cpp; do
  is_so "what the documents show compiles: $(basename "$block")" compile -c "$block" -o "${block%.cpp}.o"
done
blocks=$(ls "$built"/block*.cpp | wc -l) shown=$(($(grep -c '^```cpp$' "$here/README.md") + $(grep -c '@code{.cpp}' include/tn_compactor.hpp)))
if [ "$blocks" -eq "$shown" ] && [ "$shown" -ge 5 ]; then pass "all $shown blocks are found"; else fail "$blocks of $shown blocks are found"; fi
is_so "the program of the README links" "$cxx" "$built/block1.o" "${links[@]}" -o "$built/block1" && is_so "the program of the README runs" "$built/block1"
is_so "the C++ section of the main README works from an empty folder" "$here/test/readme.sh" "$built/readme"
is_so "the benchmark compiles" compile -O2 "$here/bench/bench.cpp" "$here"/test/{generate,json}.cpp "${links[@]}" -o "$built/bench"

finish
