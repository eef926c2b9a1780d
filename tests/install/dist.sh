#!/usr/bin/env bash
# `make dist`: the source archive builds where there is no git, and gives both archives again, byte for byte, in another folder. The
# binary archive is used where it was unpacked.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/install/check.sh
. tests/install/check.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

is_so "make dist" make dist
host=$(rustc -vV | sed -n 's/^host: //p')
sources=tn_compactor-$version
binary=$sources-$host
is_so "there are two archives and their checksums" same "$(cd target/dist && echo *)" "SHA256SUMS $binary.tar.gz $sources.tar.gz"
is_so "the checksums are right" env -C target/dist sha256sum -c SHA256SUMS

is_so "the source archive unpacks" tar -xzf "target/dist/$sources.tar.gz" -C "$away"
if [ -e .git ]; then
  is_so "everything that git knows is in it" same "$(cd "$away/$sources" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort)" "$(git ls-files | LC_ALL=C sort)"
fi
again() { (cd "$away/$sources" && env -u CARGO_TARGET_DIR make dist); }
is_so "make dist where it was unpacked" again
is_so "both archives are the same, byte for byte" same "$(<"$away/$sources/target/dist/SHA256SUMS")" "$(<target/dist/SHA256SUMS)"

is_so "the binary archive unpacks" tar -xzf "target/dist/$binary.tar.gz" -C "$away"
unpacked=$away/$binary
is_so "library, headers and papers are in it" same "$(cd "$unpacked" && find . ! -type d | LC_ALL=C sort)" "./CHANGELOG.md
./LICENSE
./README.md
./include/tn_compactor.h
./include/tn_compactor.hpp
./lib/cmake/tn_compactor/tn_compactor-config-version.cmake
./lib/cmake/tn_compactor/tn_compactor-config.cmake
./lib/cmake/tn_compactor/tn_compactor-location.cmake
./lib/libtn_compactor.a
./lib/libtn_compactor.so
./lib/libtn_compactor.so.$major
./lib/libtn_compactor.so.$version
./lib/pkgconfig/tn_compactor.pc"
is_so "it names no folder of this machine" is_empty "$(grep -rlF -e "$root" -e "${CARGO_HOME:-$HOME/.cargo}" "$unpacked/include" "$unpacked/lib")"
for source in example.c example.cpp; do
  # shellcheck disable=SC2046 # flags are words
  is_so "$source builds with it" build shared "$source" $(pkg_config "$unpacked" --cflags --libs)
  is_so "it runs" summarized env LD_LIBRARY_PATH="$unpacked/lib" "$consumer/shared"
done
mkdir "$away/project"
cp "$consumer/example.c" "$away/project/"
cat >"$away/project/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.10)
project(example C)
find_package(tn_compactor $version EXACT CONFIG REQUIRED)
add_executable(example example.c)
target_link_libraries(example PRIVATE tn_compactor::static)
TEXT
by_cmake() { cmake -S "$away/project" -B "$away/project/build" -DCMAKE_PREFIX_PATH="$unpacked" && cmake --build "$away/project/build"; }
is_so "CMake builds with it" by_cmake
is_so "that program runs" summarized "$away/project/build/example"
finish
