#!/usr/bin/env bash
# Does what a document shows of Go, in an empty folder: between <!-- go --> and <!-- /go -->, its go block becomes main.go, its sh blocks
# are run in their order, with TN set to this checkout, and the last one has to print what its text block shows.
set -eu
cd "$(dirname "$0")/../.."
document=$1
if [ "$(grep -cxF -e '<!-- go -->' -e '<!-- /go -->' "$document")" -ne 2 ]; then
  echo "$document has no section between <!-- go --> and <!-- /go -->"
  exit 1
fi
export TN=$PWD GOFLAGS="${GOFLAGS:-} -buildvcs=false"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/blocks" "$folder/empty"

awk -v folder="$folder/blocks" '
  /^<!-- go -->$/ { inside = 1 }
  /^<!-- \/go -->$/ { inside = 0 }
  inside && /^```/ {
    if (file) { close(file); file = "" } else { file = sprintf("%s/%02d.%s", folder, ++n, substr($0, 4)) }
    next
  }
  inside && file { print > file }
' "$document"

for kind in go sh text; do
  ls "$folder/blocks"/*."$kind" >/dev/null || { echo "$document shows no $kind block of Go"; exit 1; }
done
cp "$folder/blocks"/*.go "$folder/empty/main.go"
cd "$folder/empty"
for block in ../blocks/*.sh; do
  bash -eu "$block" >../printed || { cat ../printed; exit 1; }
done
diff ../blocks/*.text ../printed
