#!/usr/bin/env bash
# Holds the interface of the library against tests/abi/tn_compactor.abi, which describes the one that was released.
#
#   tests/abi/run.sh            the tests
#   tests/abi/run.sh --accept   describes the interface as it is now: `make abi`
#
# A function that is gone, and a type, a status or a value that is another, fail. A function that was added does not, and is told.
# On Debian, as root, abidiff is installed if it is missing.
set -u
cd "$(dirname "$0")/../.." || exit 1

described=tests/abi/tn_compactor.abi
built=target/abi
cargo=${CARGO:-cargo}
# shellcheck source=tests/check.sh
. tests/check.sh

# build SOURCES FOLDER: builds the library as abidiff needs it, with everything that a debugger is told of this crate, in one piece.
# Of the other crates it needs nothing.
build() {
  CARGO_INCREMENTAL=0 "$cargo" rustc --locked --lib --crate-type cdylib --manifest-path "$1/Cargo.toml" --target-dir "$2" \
    --config profile.dev.debug=2 --config profile.dev.codegen-units=1 --config 'profile.dev.package."*".debug=0' >"$built/build.log" 2>&1 || {
    tail -n 20 "$built/build.log"
    return 1
  }
}
# compare FOLDER: succeeds where a host that was built for the described interface can use the library that was built there. Tells
# what has changed.
compare() {
  local report status library=$1/debug/libtn_compactor.so
  report=$(abidiff --no-added-syms "$described" "$library" 2>&1)
  status=$?
  if [ "$status" -ne 0 ]; then
    echo "$report"
    echo "The interface is not the one in $described: see \"The interface\" in CONTRIBUTING.md."
    return 1
  fi
  report=$(abidiff "$described" "$library" 2>&1) && return
  echo "$report"
  echo "Functions were added. Once they are released they stay: \"The interface\" in CONTRIBUTING.md says how to accept them."
}

mkdir -p "$built"
if ! command -v abidiff >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends abigail-tools; } >"$built/apt.log" 2>&1
fi
for need in abidiff abidw python3 "$cargo"; do
  if ! command -v "$need" >/dev/null; then
    skipped=1
    echo "SKIP abi: $need is not installed"
    finish
  fi
done
if [ "$(uname -m)" != x86_64 ]; then
  skipped=1
  echo "SKIP abi: the description is of x86-64"
  finish
fi

build . "$built" || {
  fail "the library is built for abidiff"
  finish
}
if [ "${1-}" = --accept ]; then
  python3 tests/abi/describe.py "$built/debug/libtn_compactor.so" >"$built/described" && cp "$built/described" "$described" && git --no-pager diff --stat -- "$described"
  exit
fi

# Without the types, abidiff would compare names alone.
functions=$(grep -c '<function-decl .*elf-symbol-id=' "$described")
if [ "$functions" -eq "$(wc -l <tests/artifact/symbols.txt)" ]; then
  pass "all $functions functions are described with their types"
else
  fail "$functions functions are described with their types, and the library has $(wc -l <tests/artifact/symbols.txt)"
fi
if python3 tests/abi/describe.py "$built/debug/libtn_compactor.so" >"$built/first" && python3 tests/abi/describe.py "$built/debug/libtn_compactor.so" >"$built/second" && cmp -s "$built/first" "$built/second"; then
  pass "the description is the same at every time"
else
  fail "the description is the same at every time"
fi
if grep -nE '(^|[^a-z])/[a-z]+/|registry|rustc' "$described"; then
  fail "the description names no path of a machine"
else
  pass "the description names no path of a machine"
fi
if output=$(compare "$built"); then pass "the interface is the described one"; else fail "the interface is the described one: $output"; fi
[ -z "${output-}" ] || echo "$output"

# ---- that a change is seen ----

# changed FILE (FROM TO)...: a copy of the sources with these changes, built.
scratch=$built/scratch
changed() {
  rm -rf "$scratch"
  mkdir -p "$scratch/tests" "$scratch/benches"
  cp -R Cargo.toml Cargo.lock build.rs src "$scratch/"
  cp tests/*.rs "$scratch/tests/"
  cp benches/read.rs "$scratch/benches/"
  python3 - "$scratch/$1" "${@:2}" <<'PYTHON' || return 1
import sys
from pathlib import Path

path = Path(sys.argv[1])
text = path.read_text()
for before, after in zip(sys.argv[2::2], sys.argv[3::2]):
    if text.count(before) != 1:
        sys.exit(f"{path} has {text.count(before)} times: {before}")
    text = text.replace(before, after)
path.write_text(text)
PYTHON
  build "$scratch" "$built/changed"
}
# breaks NAME WORD FILE (FROM TO)...: with these changes, the comparison fails, and says so in that word.
breaks() {
  local name=$1 word=$2 output
  shift 2
  if ! output=$(changed "$@"); then
    fail "$name: the change does not build: $output"
  elif output=$(compare "$built/changed"); then
    fail "$name"
  elif grep -qE "$word" <<<"$output"; then
    pass "$name"
  else
    fail "$name: it is reported as something else: $output"
  fi
}

breaks "a function that is gone is a break" "\[D\] .*tn_flush_reminder" src/ffi/text.rs \
  $'#[unsafe(no_mangle)]\npub extern "C" fn tn_flush_reminder' 'pub extern "C" fn tn_flush_reminder'
breaks "a parameter of another type is a break" "parameter 2 of type 'u64' changed" src/ffi/sink.rs \
  'sink: *mut tn_sink, tokens: u64' 'sink: *mut tn_sink, tokens: u32' 'Answer::Count(tokens))' 'Answer::Count(tokens.into()))'
breaks "a result of another type is a break" "return type changed" src/ffi/status.rs \
  'pub extern "C" fn tn_abi_version() -> u32' 'pub extern "C" fn tn_abi_version() -> u64'
breaks "a status of another value is a break" "TN_ERR_MEMORY.* from value '-8' to '-9'" src/ffi/status.rs \
  'TN_ERR_MEMORY = -8' 'TN_ERR_MEMORY = -9'

# breaks_not NAME TOLD FILE (FROM TO)...: with these changes, the comparison succeeds, and tells of TOLD, or of nothing.
breaks_not() {
  local name=$1 told=$2 output
  shift 2
  if ! output=$(changed "$@"); then
    fail "$name: the change does not build: $output"
  elif ! output=$(compare "$built/changed") || ! grep -q "$told" <<<"$output"; then
    fail "$name: $output"
  elif [ -z "$told" ] && [ -n "$output" ]; then
    fail "$name: $output"
  else
    pass "$name"
  fi
}

breaks_not "a function that is added is no break, and is told" "\[A\] .*tn_added" src/ffi/status.rs \
  'pub extern "C" fn tn_version()' \
  $'pub extern "C" fn tn_added() {}\n\n/// The version.\n#[unsafe(no_mangle)]\npub extern "C" fn tn_version()'
breaks_not "what a host only has a pointer to may change inside" "" src/ffi/compactor.rs \
  'pub struct tn_compactor(pub(super) Compactor)' 'pub struct tn_compactor(pub(super) Compactor, [u64; 3])' \
  'Options::from_json(options)?))' 'Options::from_json(options)?), [0; 3])'

finish
