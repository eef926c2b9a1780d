#!/usr/bin/env bash
# Times the compactor beside the hand-written port in one run, and prints a table; fails where it is slower than it has to be. Where the
# module proxy does not serve the port, a stand-in of bench/standin.go takes its place, and the table says so.
set -eu
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
built=$root/target/tests/go
port=github.com/muthuishere/toolnexus/golang@v0.16.0
mkdir -p "$built"
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"

cp go.mod "$built/bench.mod"
cp go.sum "$built/bench.sum"
tags=
if go get -modfile="$built/bench.mod" "$port" >"$built/bench.log" 2>&1; then
  tags=toolnexus
else
  echo "$port is not served by the module proxy: a stand-in takes its place."
  cp go.mod "$built/bench.mod"
fi
go build -modfile="$built/bench.mod" ${tags:+-mod=mod} -tags "$tags" -o "$built/bench" .
exec "$built/bench"
