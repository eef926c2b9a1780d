#!/usr/bin/env bash
# The tests of the Clojure binding, after `make`. The last line is N passed, N failed, N skipped.
#
# Needs Java 17 or newer and Maven, which are installed where Debian's packages can be. What else there is comes from Maven
# Central. Without them the suite is skipped.
set -u
[ -z "${TN_TRANSCRIPTS-}" ] || TN_TRANSCRIPTS=$(realpath "$TN_TRANSCRIPTS")
cd "$(dirname "$0")" || exit 1

skip() {
  echo "SKIP clojure: $1"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}

if ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends default-jre-headless maven
  fi
fi
command -v java >/dev/null || skip "Java is not installed"
command -v mvn >/dev/null || skip "Maven is not installed"
version=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = \([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 17 ] || skip "Java is older than 17"

# Under the plainest of locales: text has to cross as UTF-8 all the same.
output=$(mktemp)
trap 'rm -f "$output"' EXIT
LC_ALL=C tools/clojure -M:test 2>&1 | tee "$output"
status=${PIPESTATUS[0]}
# What tools/clojure answers where the dependencies cannot be had.
[ "$status" -ne 3 ] || skip "$(tail -n 1 "$output")"
tests=$(tail -n 1 "$output")
shown=
for document in README.md docs/clojure.md; do
  test/readme.sh "$document" 2>&1 | tee "$output"
  shown="$shown$(tail -n 1 "$output")
"
done

printf '%s\n%s' "$tests" "$shown" | awk '
  /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { passed += $1; failed += $3; skipped += $5; suites++; next }
  # A suite that gave no figures came to no end.
  { print "no result: " $0; failed++ }
  END { print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"; exit failed > 0 || suites < 3 }'
