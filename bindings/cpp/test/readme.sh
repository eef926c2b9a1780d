#!/usr/bin/env bash
# Follows the C++ section of README.md, between <!-- cpp --> and <!-- /cpp -->, as a stranger would: in an empty folder, with a
# checkout of this repository that was built there as tn_compactor. The program is compiled by the section's own commands.
#
#   readme.sh FOLDER    the folder is made anew
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
folder=$1

section=$(sed -n '/^<!-- cpp -->$/,/^<!-- \/cpp -->$/p' "$root/README.md")
block() {
  awk -v language="$1" '
    $0 == "```" language { inside = 1; found++; next }
    inside && $0 == "```" { inside = 0 }
    inside { print }
    END { exit found != 1 }' <<<"$section" || { echo "README.md has no C++ section with one block of $1" >&2; return 1; }
}

rm -rf "$folder"
mkdir -p "$folder"
ln -s "$root" "$folder/tn_compactor"
block sh >"$folder/commands.sh"
source=$(grep -oE '[a-z_]+\.cpp' "$folder/commands.sh" | head -n 1)
block cpp >"$folder/$source"
# Ten lines: what is longer is no longer read.
[ "$(grep -cvE '^ *$|^#include|^ *//' "$folder/$source")" -le 15 ] || { echo "the program is too long" >&2; exit 1; }
cd "$folder"
bash -eu commands.sh | tee output
grep -q 'Summary of earlier conversation' output
