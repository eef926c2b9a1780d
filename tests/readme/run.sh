#!/usr/bin/env bash
# Compiles and runs what the documentation shows: every fenced c, cpp, sh and rust block of README.md, and every example in the
# header's comments. A block with a main is a program: it is linked and run on the transcript of bindings/c. One without is a
# fragment: it is compiled as it is, or else as the body of a function that has the usual names at hand (fragment.h).
#
#   tests/readme/run.sh                 README.md and the header
#   tests/readme/run.sh DOCUMENT...     these
set -u
cd "$(dirname "$0")/../.." || exit 1

library=target/release
built=target/tests/readme
if [ $# -gt 0 ]; then built=target/tests/pages; else set -- README.md include/tn_compactor.h; fi
transcript=bindings/c/transcript.json
program= # the last program shown
# shellcheck source=tests/check.sh
. tests/check.sh

rm -rf "$built"
mkdir -p "$built"

# Both extractors write FOLDER/LINE.LANGUAGE, where LINE is that of the block's first line.
fenced() {
  awk -v folder="$built/$2" '
    !inside && match($0, /^ *```/) {
      language = $0
      sub(/^ *```[ ]*/, "", language)
      sub(/[ ,{].*/, "", language)
      inside = 1
      file = language ~ /^(c|cpp|sh|rust)$/ ? folder "/" sprintf("%05d", NR + 1) "." language : ""
      next
    }
    inside && /^ *```[ ]*$/ { inside = 0; if (file) close(file); file = ""; next }
    inside && file { print > file }
    END { if (inside) { print "a block is not closed" > "/dev/stderr"; exit 1 } }
  ' "$1"
}
commented() {
  awk -v folder="$built/$2" '
    /@code\{\.c\}/ { inside = 1; file = folder "/" sprintf("%05d", NR + 1) ".c"; next }
    inside && /@endcode/ { inside = 0; close(file); next }
    inside { line = $0; sub(/^ *\* ?/, "", line); print line > file }
    END { if (inside) { print "an example is not closed" > "/dev/stderr"; exit 1 } }
  ' "$1"
}

has_main() { grep -qE '\bmain *\(' "$1"; }

# wrapped FILE LINE NAME: the fragment as the body of a function, its directives before it.
wrapped() {
  printf '#define IN_A_FUNCTION\n#include "fragment.h"\n'
  grep -E '^ *#' "$1"
  printf 'FRAGMENT_BEGIN\n#line %d "%s"\n' "$2" "$3"
  sed -E 's/^ *#.*//' "$1"
  printf '\nFRAGMENT_END\n'
}
# whole FILE LINE NAME: the text with its place, so that a compiler names the document. A fragment gets the usual headers.
whole() {
  has_main "$1" || printf '#include "fragment.h"\n'
  printf '#line %d "%s"\n' "$2" "$3"
  cat "$1"
}

# compiled NAME FILE LINE DOCUMENT EXTENSION COMPILER...
compiled() {
  local name=$1 file=$2 line=$3 document=$4 extension=$5 source output as_it_is
  shift 5
  source="${file%.*}.try.$extension"
  whole "$file" "$line" "$document" >"$source"
  if has_main "$file"; then
    program=$file
    is_so "$name: the program compiles" "$@" "$source" -L"$library" -ltn_compactor -Wl,-rpath,"$PWD/$library" -o "${file%.*}.run" || return
    if timeout 60 "${file%.*}.run" <"$transcript" >"${file%.*}.out" 2>"${file%.*}.err"; then
      pass "$name: the program runs"
    else
      output="status $?: $(head -n 3 "${file%.*}.err")"
      fail "$name: the program runs: $output"
    fi
    return
  fi
  set -- "$@" -Itests/readme -Wno-unused -Wno-unused-parameter
  if as_it_is=$("$@" -c "$source" -o "${file%.*}.o" 2>&1); then
    pass "$name: the fragment compiles"
  else
    wrapped "$file" "$line" "$document" >"$source"
    if output=$("$@" -c "$source" -o "${file%.*}.o" 2>&1); then
      pass "$name: the fragment compiles"
    else
      printf 'as it is:\n%s\nas the body of a function:\n%s\n' "$as_it_is" "$output" | head -n 40
      fail "$name: the fragment compiles"
    fi
  fi
}

# A shell block is not run as a whole, since it may install, test or take long. Its compiler lines are: in a folder where the tree's
# files are at hand and the last program shown above has the name that the line gives it.
shell_block() {
  local name=$1 file=$2 target option scratch=${2%.*}.scratch source
  is_so "$name: the shell reads it" bash -n "$file"
  while IFS= read -r command; do
    mkdir -p "$scratch"
    ln -sfn "$PWD/include" "$PWD/bindings" "$PWD/target" "$scratch"
    ln -sfn "$PWD" "$scratch/tn_compactor"
    source=$(grep -oE '(^| )[a-z_]+\.c(pp)?\b' <<<"$command" | head -n 1 | tr -d ' ')
    [ -z "$source" ] || cp "${program:-/dev/null}" "$scratch/$source"
    is_so "$name: $command" env -C "$scratch" timeout 60 bash -c "$command" </dev/null
  done < <(grep -E '^ *(cc|c\+\+|gcc|g\+\+) ' "$file")
  for target in $(sed 's/#.*//' "$file" | grep -oE '\bmake( +[A-Za-z0-9_=/.-]+)+' | sed 's/^make//' | tr ' ' '\n' | grep -E '^[a-z][a-z0-9_-]*$' | sort -u); do
    is_so "$name: make has the target $target" make -n "$target"
  done
  for option in $(sed 's/#.*//' "$file" | tr '\n' '\a' | sed 's/\\\a/ /g' | tr '\a' '\n' | grep -E '(^|[ /])compact ' | grep -oE '(^| )--[a-z-]+' | sort -u); do
    is_so "$name: compact has the option $option" grep -qwe "$option" "$built/compact-help"
  done
}

rust_block() {
  local name=$1 file=$2 source="${2%.*}.try.rs"
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    skip "$name" "there is no Rust compiler"
    return
  fi
  if [ ! -e "$built/rust-built" ]; then
    is_so "the Rust library builds" cargo build --locked --quiet --lib || return
    touch "$built/rust-built"
  fi
  if grep -qE '^ *fn main' "$file"; then
    cp "$file" "$source"
  else
    { echo 'fn main() -> Result<(), Box<dyn std::error::Error>> {'; cat "$file"; echo 'Ok(()) }'; } >"$source"
  fi
  is_so "$name: the program compiles" rustc --edition 2024 --crate-name block -A unused "$source" --extern tn_compactor=target/debug/libtn_compactor.rlib \
    -L dependency=target/debug/deps -o "${file%.*}.run" || return
  is_so "$name: the program runs" timeout 60 "${file%.*}.run"
}

# Where the section on installing has put the library.
export PREFIX="$PWD/$built/prefix"
export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"
is_so "the library is installed" make install PREFIX="$PREFIX"

# What compact says of its options; without the program, that it is missing.
target/release/compact --help >"$built/compact-help" 2>&1

for document in "$@"; do
  folder=$(basename "$document")
  mkdir -p "$built/$folder"
  if [ ! -e "$document" ]; then
    fail "$document is there"
    continue
  fi
  case "$document" in
    *.md)
      is_so "$document: every block is closed" fenced "$document" "$folder"
      announced=$(grep -cE '^[ >]*(```|~~~) *\{?\.?(c|cpp|C|c\+\+|sh|bash|shell|rust)\b' "$document") ;;
    *)
      is_so "$document: every example is closed" commented "$document" "$folder"
      announced=$(grep -c '@code' "$document") ;;
  esac
  blocks=$(find "$built/$folder" -type f | sort)
  found=$(grep -c . <<<"$blocks")
  # Nothing found means that nothing was tested, not that all is well.
  if [ "$found" -gt 0 ] && [ "$found" -eq "$announced" ]; then
    pass "$document: its $found blocks are found"
  else
    fail "$document: $found blocks are found, $announced are there"
  fi
  for file in $blocks; do
    line=$((10#$(basename "${file%.*}")))
    name="$document:$line"
    case "$file" in
      *.c) compiled "$name" "$file" "$line" "$document" c "${CC:-cc}" -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -pedantic-errors -Werror -Iinclude ;;
      *.cpp) compiled "$name" "$file" "$line" "$document" cpp "${CXX:-c++}" -std=c++17 -Wall -Wextra -pedantic-errors -Werror -Iinclude ;;
      *.sh) shell_block "$name" "$file" ;;
      *.rust) rust_block "$name" "$file" ;;
    esac
  done
done

finish
