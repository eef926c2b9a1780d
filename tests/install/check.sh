# What the suites of this folder count by, to be sourced in the project's root. Each of them works in a folder of its own outside of
# the tree, so that nothing of the tree is found by chance.

root=$PWD
passed=0 failed=0 skipped=0
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT

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
    printf '%s\n' "$output" | tail -n 30
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
# refuses TEXT COMMAND...: succeeds if the command fails with that text, by an exit status and not by a signal.
refuses() {
  local text=$1 output status
  shift
  output=$("$@" 2>&1)
  status=$?
  printf 'status %s: %s\n' "$status" "$output"
  [ "$status" -ne 0 ] && [ "$status" -lt 128 ] && grep -qF -- "$text" <<<"$output"
}
is_empty() { [ -z "$1" ] || { echo "$1"; false; }; }
same() { [ "$1" = "$2" ] || { printf 'found    %s\nexpected %s\n' "$1" "$2"; false; }; }

# example LANGUAGE: the first block of the README in that language, which is its program.
example() {
  awk -v language="$1" '
    !found && $0 == "```" language { inside = 1; found = 1; next }
    inside && /^```/ { exit }
    inside { print }' "$root/README.md"
}

# The C and C++ programs of the README, outside of the tree.
consumer=$away/consumer
mkdir -p "$consumer"
example c >"$consumer/example.c"
example cpp >"$consumer/example.cpp"
# pkg_config FOLDER ARGUMENTS...: what pkg-config says of the library that is installed under the folder.
pkg_config() { PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config "${@:2}" tn_compactor; }
# build OUTPUT SOURCE FLAGS...: by the compiler of the source's language.
build() {
  local output=$consumer/$1 source=$consumer/$2
  shift 2
  case $source in
    *.cpp) "${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror "$source" "$@" -o "$output" ;;
    *) "${CC:-cc}" -std=c99 -Wall -Wextra -Werror "$source" "$@" -o "$output" ;;
  esac
}
summarized() { prints '[Summary of earlier conversation]' "$@"; }
needs_no_shared() { is_empty "$(readelf -dW "$1" 2>/dev/null | grep libtn_compactor)"; }

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
major=${version%%.*}
