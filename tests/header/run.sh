#!/usr/bin/env bash
# Compiles include/tn_compactor.h alone, and included twice, under every language it is for, and holds it against the interface.
set -u
cd "$(dirname "$0")/../.." || exit 1

header=include/tn_compactor.h
library=target/release
built=target/tests/header
warnings=(-Wall -Wextra -pedantic-errors -Werror)
# shellcheck source=tests/check.sh
. tests/check.sh

mkdir -p "$built"
printf '#include "tn_compactor.h"\nextern int alone;\nint alone;\n' >"$built/alone.c"
printf '#include "tn_compactor.h"\n#include "tn_compactor.h"\nextern int twice;\nint twice;\n' >"$built/twice.c"
cp "$built/alone.c" "$built/alone.cpp"
cp "$built/twice.c" "$built/twice.cpp"
cp tests/header/signatures.c "$built/signatures.c"
cp tests/header/signatures.c "$built/signatures.cpp"

# Compilers that are not there are not asked.
for pair in gcc:g++ clang:clang++; do
  cc=${pair%:*} cxx=${pair#*:}
  if command -v "$cc" >/dev/null; then
    for standard in c99 c11 c17; do
      for text in alone twice signatures; do
        is_so "$cc -std=$standard: $text" \
          "$cc" -std="$standard" "${warnings[@]}" -Wstrict-prototypes -Iinclude -c "$built/$text.c" -o "$built/$text.o"
      done
    done
  fi
  if command -v "$cxx" >/dev/null; then
    for standard in c++11 c++20; do
      for text in alone twice signatures; do
        is_so "$cxx -std=$standard: $text" \
          "$cxx" -std="$standard" "${warnings[@]}" -Iinclude -c "$built/$text.cpp" -o "$built/$text.o"
      done
    done
  fi
done
[ "$passed" -gt 0 ] || fail "a compiler compiles the header"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
if ${CC:-cc} -Iinclude tests/header/versions.c -L"$library" -ltn_compactor -Wl,-rpath,"$PWD/$library" -o "$built/versions"; then
  said=$("$built/versions")
  is_so "the header has the version of Cargo.toml, $version" grep -qx "header $version" <<<"$said"
  is_so "the library has the version of Cargo.toml, $version" grep -qx "library $version" <<<"$said"
  abi=$(sed -n 's/^header-abi //p' <<<"$said")
  is_so "header and library have the same ABI version, $abi" grep -qx "library-abi $abi" <<<"$said"
else
  fail "a program links against the library"
fi

# Each function of the interface: declared once, marked as exported, and described by the comment right above.
while read -r function; do
  declared=$(grep -cE "^[A-Za-z_].*[ *]$function\(" "$header")
  if [ "$declared" -ne 1 ]; then
    fail "$function is declared once, not $declared times"
    continue
  fi
  above=$(grep -nE "^[A-Za-z_].*[ *]$function\(" "$header" | cut -d: -f1)
  # The marker stands on the line of the declaration or on the line above it.
  if sed -n "${above}p" "$header" | grep -q '^TN_API '; then
    marked=1
  elif [ "$(sed -n "$((above - 1))p" "$header")" = TN_API ]; then
    marked=1 above=$((above - 1))
  else
    marked=0
  fi
  if [ "$marked" -eq 1 ]; then pass "$function is marked TN_API"; else fail "$function is marked TN_API"; fi
  comment=$(head -n $((above - 1)) "$header" | awk '/^\/\*\*/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }')
  if [ "$(tail -n 1 <<<"$comment")" = " */" ] && [ "$(wc -w <<<"$comment")" -ge 10 ]; then
    pass "$function is described"
  else
    fail "$function is described"
  fi
done <tests/artifact/symbols.txt

# A function that the interface does not list.
extra=$(grep -oE '\btn_[a-z0-9_]+\(' "$header" | tr -d '(' | sort -u | comm -23 - <(sort tests/artifact/symbols.txt) | tr '\n' ' ')
if [ -z "$extra" ]; then pass "the header has no other function"; else fail "the header has no other function: $extra"; fi

finish
