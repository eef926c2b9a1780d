#!/usr/bin/env bash
# Packs the crate, builds what was packed, and has the Rust program of the README use it from a project of its own.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/install/check.sh
. tests/install/check.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

# Changes that are not committed are packed as well: it is they that are to be tested.
is_so "the crate is packed, and what was packed builds" cargo package --locked --allow-dirty --target-dir target/crate
packed=target/crate/package/tn-compactor-$version.crate
is_so "what was packed unpacks" tar -xzf "$packed" -C "$away"
crate=$away/tn-compactor-$version
present() { (cd "$1" && ls -d "${@:2}"); }
is_so "headers, build script, CMake files and papers are in it" present "$crate" include/tn_compactor.h include/tn_compactor.hpp build.rs \
  packaging/tn_compactor-config.cmake packaging/tn_compactor.pc.in README.md CHANGELOG.md LICENSE Cargo.lock
is_so "tests, benchmarks and bindings are not" is_empty "$(find "$crate" -mindepth 1 -maxdepth 1 -name 'tests' -o -name 'benches' -o -name 'bindings')"
is_so "it is smaller than 300 KB" test "$(stat -c %s "$packed")" -lt 300000

host=$away/garden
mkdir -p "$host/src"
example rust >"$host/src/main.rs"
cat >"$host/Cargo.toml" <<TOML
[package]
name = "garden"
version = "1.0.0"
edition = "2024"

[dependencies]
tn-compactor = { path = "$crate" }
TOML
cp "$crate/Cargo.lock" "$host/"
is_so "a program of its own builds with it and runs" summarized env -C "$host" cargo run --quiet --target-dir "$root/target/crate/host"
finish
