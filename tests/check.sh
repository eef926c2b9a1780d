# shellcheck shell=bash
# What a suite in shell counts by. To be sourced in the project's root; its last line is to be `finish`.

passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); echo "ok $1"; }
fail() { failed=$((failed + 1)); echo "not ok $1"; }
skip() { skipped=$((skipped + 1)); echo "SKIP $1: $2"; }
finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit
}
# is_so NAME COMMAND...: passes if the command succeeds, shows what it printed if not.
is_so() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    pass "$name"
  else
    [ -z "$output" ] || printf '%s\n' "$output" | tail -n 30
    fail "$name"
    return 1
  fi
}
# prints TEXT COMMAND...: succeeds if the command prints the text, whether it succeeds itself or not.
prints() {
  local text=$1 output
  shift
  output=$("$@" 2>&1)
  printf '%s\n' "$output"
  grep -qF -- "$text" <<<"$output"
}
is_empty() { [ -z "$1" ] || { echo "$1"; false; }; }
