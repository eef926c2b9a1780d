# What the suites of this folder count by, to be sourced in the project's root. Each of them works in a folder of its own outside of
# the tree, so that nothing of the tree is found by chance.

root=$PWD
# shellcheck source=tests/check.sh
. tests/check.sh

away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT

# refuses TEXT COMMAND...: succeeds if the command fails with that text, by an exit status and not by a signal.
refuses() {
  local text=$1 output status
  shift
  output=$("$@" 2>&1)
  status=$?
  printf 'status %s: %s\n' "$status" "$output"
  [ "$status" -ne 0 ] && [ "$status" -lt 128 ] && grep -qF -- "$text" <<<"$output"
}
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
