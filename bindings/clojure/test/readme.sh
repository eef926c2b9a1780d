#!/usr/bin/env bash
# Does what a document says between <!-- clojure --> and <!-- /clojure -->, in an empty folder, to the letter: its sh blocks are
# run in their order, its clojure block is saved as the file that the text before it names. TN_COMPACTOR names the checkout,
# as the text asks for. The last line is N passed, N failed, N skipped.
#
#   readme.sh DOCUMENT    a path from the project's root, such as README.md
set -u
document=$1
root=$(cd "$(dirname "$0")/../../.." && pwd)
folder=$root/target/clojure/readme
passed=0 failed=0

pass() { passed=$((passed + 1)); echo "passed $1"; }
fail() { failed=$((failed + 1)); echo "failed $1"; }

rm -rf "$folder"
mkdir -p "$folder/empty"

# The blocks in their order, as NUMBER.LANGUAGE, and beside each NUMBER.name, the last `name.clj` in the text before it.
awk -v folder="$folder" '
  /^<!-- clojure -->$/ { inside = 1; next }
  /^<!-- \/clojure -->$/ { inside = 0; closed = 1; next }
  !inside { next }
  /^```/ {
    if (file) { close(file); file = ""; next }
    file = sprintf("%s/%02d.%s", folder, ++number, substr($0, 4))
    print name > sprintf("%s/%02d.name", folder, number)
    next
  }
  file { print > file; next }
  match($0, /`[a-z_]+\.clj`/) { name = substr($0, RSTART + 1, RLENGTH - 2) }
  END { exit !(closed && !file && number) }
' "$root/$document" && pass "$document has its section for Clojure" || fail "$document has its section for Clojure"

export TN_COMPACTOR=$root PATH=$root/bindings/clojure/tools:$PATH
cd "$folder/empty" || exit 1
ran=0
for block in "$folder"/*.sh "$folder"/*.clojure; do [ -e "$block" ] && echo "$block"; done | sort >"$folder/blocks"
while IFS= read -r block; do
  case $block in
    *.clojure)
      name=$(<"${block%.*}.name")
      [ -n "$name" ] && cp "$block" "$name" && pass "the program is to be saved as $name" || fail "the program has a name" ;;
    *.sh)
      ran=$((ran + 1))
      if bash -eu "$block" >"$folder/output" 2>&1 </dev/null; then
        pass "block $(basename "$block") runs"
      else
        cat "$folder/output"
        fail "block $(basename "$block") runs"
      fi ;;
  esac
done <"$folder/blocks"
if [ "$ran" -gt 0 ] && grep -qF '[Summary of earlier conversation]' "$folder/output" && grep -qF 'And leeks?' "$folder/output"; then
  pass "the last one prints the compacted transcript"
else
  cat "$folder/output" 2>/dev/null
  fail "the last one prints the compacted transcript"
fi

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
