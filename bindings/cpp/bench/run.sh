#!/usr/bin/env bash
# Times the C++ interface beside bare calls of the C interface.
set -eu
cd "$(dirname "$0")/../../.."

built=target/bench/cpp
mkdir -p "$built"
"${CXX:-c++}" -std=c++17 -O2 -Iinclude -Ibindings/cpp/test bindings/cpp/bench/bench.cpp bindings/cpp/test/generate.cpp bindings/cpp/test/json.cpp \
  -Ltarget/release -ltn_compactor -Wl,-rpath,"$PWD/target/release" -o "$built/bench"
exec "$built/bench"
