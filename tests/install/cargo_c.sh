#!/usr/bin/env bash
# `cargo cinstall`, from what the crate packs: it installs the files that `make install` does, and C, C++ and CMake find them.
#
# cargo-c takes minutes to build. It is kept in target/tools, or in the folder that TN_TOOLS names.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/install/check.sh
. tests/install/check.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

# The version that fits Rust 1.95, which it takes to be built.
wanted=0.10.24
tools=$(realpath -m "${TN_TOOLS:-target/tools}")
export PATH="$tools/bin:$PATH"
mkdir -p "$tools" || exit 1
log=$tools/cargo-c.log

# Without optimization and without figures for a debugger it is built in half the time, and works as well.
build_cargo_c() {
  if ! pkg-config --exists openssl 2>/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends pkg-config libssl-dev
  fi
  CARGO_PROFILE_DEV_DEBUG=false cargo install --quiet --locked --debug --target-dir "$tools/build" --root "$tools" "cargo-c@$wanted" &&
    rm -rf "$tools/build"
}
if ! cargo cinstall --version 2>/dev/null | grep -qF "cargo-c $wanted"; then
  if ! build_cargo_c >"$log" 2>&1; then
    skip "cargo-c" "it cannot be built ($(grep -m 1 -E '^error' "$log" || tail -n 1 "$log"))"
    finish
  fi
fi

cargo package --quiet --locked --allow-dirty --no-verify --target-dir target/crate >"$log" 2>&1
is_so "the crate unpacks" tar -xzf "target/crate/package/tn-compactor-$version.crate" -C "$away"
prefix=$away/prefix
# On Debian, cargo-c would otherwise take the folder with the processor's name, as packages do.
cinstall() {
  env -C "$away/tn-compactor-$version" cargo cinstall --locked --release --prefix="$prefix" --libdir="$prefix/lib" \
    --target-dir "$root/target/cargo-c" "$@"
}
is_so "cargo cinstall" cinstall
make install PREFIX="$away/make" >/dev/null
# cargo-c has a folder for data alone.
listing() { (cd "$1" && find . ! -type d -printf '%P %l\n' | sed 's/^share/lib/' | LC_ALL=C sort); }
is_so "it installs the files that make install does" same "$(listing "$prefix")" "$(listing "$away/make")"
is_so "the SONAME is the name of the link" prints "[libtn_compactor.so.$major]" readelf -dW "$prefix/lib/libtn_compactor.so.$version"
sizes() { [ "$(stat -Lc %s "$prefix/lib/libtn_compactor.so")" -lt $(($(stat -Lc %s target/release/libtn_compactor.so) * 11 / 10)) ]; }
is_so "the shared library is optimized as a whole" sizes
for header in tn_compactor.h tn_compactor.hpp; do
  is_so "$header is the project's" cmp "include/$header" "$prefix/include/$header"
done
is_so "the pkg-config file has the version" same "$(pkg_config "$prefix" --modversion)" "$version"

for source in example.c example.cpp; do
  # shellcheck disable=SC2046 # flags are words
  is_so "$source builds by pkg-config" build shared "$source" $(pkg_config "$prefix" --cflags --libs)
  is_so "it runs" summarized env LD_LIBRARY_PATH="$prefix/lib" "$consumer/shared"
  # shellcheck disable=SC2046
  is_so "$source builds with the static library" build static "$source" $(pkg_config "$prefix" --cflags) "$prefix/lib/libtn_compactor.a" \
    $(pkg_config "$prefix" --static --libs-only-l | sed 's/-ltn_compactor//')
  is_so "it runs" summarized "$consumer/static"
done
mkdir "$away/project"
cp "$consumer/example.c" "$away/project/"
cat >"$away/project/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.10)
project(example C)
find_package(tn_compactor $version EXACT CONFIG REQUIRED)
foreach(kind shared static)
  add_executable(\${kind} example.c)
  target_link_libraries(\${kind} PRIVATE tn_compactor::\${kind})
endforeach()
TEXT
by_cmake() { cmake -S "$away/project" -B "$away/project/build" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$away/project/build"; }
is_so "CMake builds with it" by_cmake
is_so "that program runs with the shared library" summarized "$away/project/build/shared"
is_so "and with the static one" summarized "$away/project/build/static"

is_so "cargo cinstall stages with --destdir" cinstall --destdir="$away/staged"
is_so "the same files are staged" same "$(listing "$away/staged$prefix")" "$(listing "$prefix")"
finish
