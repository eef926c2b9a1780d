#!/usr/bin/env bash
# Installs what `make` built into empty prefixes, and uses it from there as each ecosystem does: what is installed and what is taken
# away again, the programs of the README in C, C++, Go and Clojure outside of the tree, and one version in every place.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/install/check.sh
. tests/install/check.sh

for part in make c cmake go jvm versions; do
  # shellcheck disable=SC1090
  . "tests/install/$part.sh"
done
finish
