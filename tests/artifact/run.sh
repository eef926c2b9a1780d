#!/usr/bin/env bash
# Looks at the built libraries from outside: what they export, what they need, how large they are. ELF only.
set -u
cd "$(dirname "$0")/../.." || exit 1

shared=target/release/libtn_compactor.so
archive=target/release/libtn_compactor.a
built=target/tests/artifact
most_bytes=600000
passed=0 failed=0 skipped=0

# check NAME FOUND: passes if nothing was found that should not be there.
check() {
  if [ -z "$2" ]; then
    passed=$((passed + 1))
    echo "ok $1"
  else
    failed=$((failed + 1))
    echo "not ok $1: $2"
  fi
}
# differences BETWEEN AND: the lines that only one of two sorted lists has, on one line.
differences() {
  { comm -23 "$1" "$2" | sed 's/^/missing /'; comm -13 "$1" "$2" | sed 's/^/extra /'; } | paste -sd' ' -
}

mkdir -p "$built"
for file in "$shared" "$archive"; do
  [ -s "$file" ] || check "$file is built" "it is not there"
done
if ! command -v readelf >/dev/null || ! command -v nm >/dev/null; then
  echo "SKIP artifact: readelf and nm are not installed"
  echo "$passed passed, $failed failed, 1 skipped"
  [ "$failed" -eq 0 ]
  exit
fi

sort -u tests/artifact/symbols.txt >"$built/expected"
check "the list of symbols is sorted and lists each once" "$(cmp -s tests/artifact/symbols.txt "$built/expected" || echo "it is not")"

nm -D --defined-only "$shared" | awk '{ print $NF }' | sort -u >"$built/exported"
check "the shared library exports what the list says and nothing else" "$(differences "$built/expected" "$built/exported")"

nm -D --defined-only "$shared" | awk '$2 != "T" { print $NF " is " $2 }' | paste -sd' ' - >"$built/not-code"
check "every export is a function" "$(cat "$built/not-code")"

nm -g --defined-only "$archive" 2>/dev/null | awk '$2 == "T" && $3 ~ /^tn_/ { print $3 }' | sort -u >"$built/archived"
check "the static library has the same functions" "$(differences "$built/expected" "$built/archived")"

grep -oE '\btn_[a-z0-9_]+\(' include/tn_compactor.h | tr -d '(' | sort -u >"$built/declared"
check "the header declares the same functions" "$(differences "$built/expected" "$built/declared")"

dynamic=$(readelf -dW "$shared")
soname=$(sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p' <<<"$dynamic")
check "the SONAME is libtn_compactor.so.0" "$([ "$soname" = libtn_compactor.so.0 ] || echo "it is ${soname:-missing}")"
check "a link of that name stands beside the library and leads to it" \
  "$([ -L "$shared.0" ] && [ "$shared.0" -ef "$shared" ] || echo "it does not")"
check "there is no rpath" "$(grep -E '\((RPATH|RUNPATH)\)' <<<"$dynamic")"
check "it needs libc, libgcc_s and the loader at most" \
  "$(sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' <<<"$dynamic" | grep -vE '^(libc\.so\.6|libgcc_s\.so\.1|ld-linux-[a-z0-9-]+\.so\.[0-9]+|libc\.musl-.*)$' | paste -sd' ' -)"
check "it needs something, so the line above looked at the right place" "$(grep -q '(NEEDED)' <<<"$dynamic" || echo "nothing")"

sections=$(readelf -SW "$shared")
check "it is stripped" "$(grep -oE '\.(symtab|debug_[a-z]+)\b' <<<"$sections" | paste -sd' ' -)"
bytes=$(stat -c %s "$shared")
check "it is smaller than $most_bytes bytes" "$([ "$bytes" -lt "$most_bytes" ] || echo "it has $bytes")"
check "no text relocations, so that its code is shared between processes" "$(grep -E '\(TEXTREL\)' <<<"$dynamic")"
check "its stack is not executable" "$(readelf -lW "$shared" | awk '$1 == "GNU_STACK" && $0 ~ /E/ && $7 ~ /E/')"

# Paths of the machine that built it say nothing to the host, and differ from build to build.
check "no path of this tree is in it" "$(grep -aoF "$PWD" "$shared" | sort -u)"
check "no path of cargo's own folder is in it" "$(grep -aoF "${CARGO_HOME:-$HOME/.cargo}" "$shared" | sort -u)"

c_flags=(-std=c99 -Wall -Wextra -pedantic-errors -Werror -Iinclude)
output=$("${CC:-cc}" "${c_flags[@]}" tests/artifact/static.c "$archive" -lpthread -ldl -lm -o "$built/static" 2>&1) || output="${output:-it does not link}"
check "a C program links the static library" "$output"
if [ -x "$built/static" ]; then
  if output=$("$built/static" 2>&1); then output=; else output="status $?: $output"; fi
  check "that program runs" "$output"
  check "that program does not need the shared library" "$(readelf -dW "$built/static" | grep -o 'libtn_compactor[^]]*')"
fi

output=$("${CC:-cc}" "${c_flags[@]}" tests/artifact/static.c -Ltarget/release -ltn_compactor -o "$built/dynamic" 2>&1) || output="${output:-it does not link}"
check "a C program links the shared library" "$output"
if [ -x "$built/dynamic" ]; then
  check "that program asks for libtn_compactor.so.0" \
    "$(readelf -dW "$built/dynamic" | grep -q '\[libtn_compactor.so.0\]' || echo "it does not")"
  if output=$(LD_LIBRARY_PATH=target/release "$built/dynamic" 2>&1); then output=; else output="status $?: $output"; fi
  check "that program runs with the link" "$output"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
