#!/usr/bin/env bash
# The documentation: its links lead somewhere, the blocks of the pages compile and run, what scripts draw and count is what is committed,
# and the reference renders without a warning. The last line is N passed, N failed, N skipped.
#
# TN_TRANSCRIPTS names another folder of real transcripts than ../shared/transcripts.
set -u
[ -z "${TN_TRANSCRIPTS-}" ] || { TN_TRANSCRIPTS=$(realpath "$TN_TRANSCRIPTS") && export TN_TRANSCRIPTS; }
cd "$(dirname "$0")/../.." || exit 1
built=target/tests/docs
# shellcheck source=tests/check.sh
. tests/check.sh

export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1

# added COMMAND...: a suite in a suite, whose last line is counted.
added() {
  local output p f s
  output=$("$@" 2>&1)
  printf '%s\n' "$output"
  if read -r p _ f _ s _ < <(tail -n 1 <<<"$output" | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$'); then
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  else
    fail "$* came to no end"
  fi
}

rm -rf "$built"
mkdir -p "$built"

if ! command -v python3 >/dev/null; then
  skip "docs" "python3 is not installed"
else
  added python3 tests/docs/check.py
  is_so "the picture is what docs/figures/picture.py draws" python3 docs/figures/picture.py
  output=$(docs/figures/run 2>&1)
  case $? in
    0) pass "the figures are what docs/figures/run counts" ;;
    2) skip "real transcripts" "$output" ;;
    3) skip "docs figures" "$output" ;;
    *) printf '%s\n' "$output" | head -n 40 && fail "the figures are what docs/figures/run counts" ;;
  esac
fi

# Of the pages on a language the blocks in C, C++, Rust and the shell. Go, Clojure and Python are run by their own suites.
added tests/readme/run.sh docs/c.md docs/cpp.md docs/rust.md

is_so "the reference renders without a warning" docs/reference/write
is_there() { grep -rqF "$1" "$2"; }
is_so "it has a function of the C interface" is_there 'Builds the new transcript from a plan' target/doc/headers/tn__compactor_8h.html
is_so "it has a class of the C++ interface" is_there 'Cuts the host' target/doc/headers/classtn_1_1plan.html
is_so "it has the crate" is_there 'Where a transcript is cut' target/doc/tn_compactor/struct.Plan.html
# A check of the check: what has no comment fails it.
is_refused() {
  printf '/**\n * @file\n * What.\n */\nint undocumented(void);\n' >"$built/bare.h"
  { cat docs/reference/Doxyfile && printf 'INPUT=%s\nOUTPUT_DIRECTORY=%s\n' "$built/bare.h" "$built"; } >"$built/Doxyfile"
  ! doxygen "$built/Doxyfile" >"$built/doxygen.log" 2>&1 && grep -q 'undocumented.* is not documented' "$built/doxygen.log"
}
is_so "a function without a comment would fail it" is_refused

finish
