# `make install` and `make uninstall`. Leaves an installation in $prefix for the other parts.

if [ ! -e target/release/made ]; then
  fail "the library is built: run make first"
  finish
fi

prefix=$away/prefix
# A make of its own, whatever the one above was told.
unset MAKEFLAGS MAKELEVEL MFLAGS
install() { make install "$@"; }
# listing FOLDER: everything in it but folders, links with where they lead.
listing() { (cd "$1" && find . ! -type d -printf '%P %l\n' | sed -e "s/ \$//" -e "s/ / -> /" | LC_ALL=C sort); }

is_so "make install" install PREFIX="$prefix"
same_listing() {
  same "$(listing "$prefix")" "include/tn_compactor.h
include/tn_compactor.hpp
lib/cmake/tn_compactor/tn_compactor-config-version.cmake
lib/cmake/tn_compactor/tn_compactor-config.cmake
lib/cmake/tn_compactor/tn_compactor-location.cmake
lib/libtn_compactor.a
lib/libtn_compactor.so -> libtn_compactor.so.$version
lib/libtn_compactor.so.$major -> libtn_compactor.so.$version
lib/libtn_compactor.so.$version
lib/pkgconfig/tn_compactor.pc"
}
is_so "it installs these files and no others" same_listing
is_so "the shared library is the one that make built" cmp target/release/libtn_compactor.so "$prefix/lib/libtn_compactor.so"
is_so "the static library is the one that make built" cmp target/release/libtn_compactor.a "$prefix/lib/libtn_compactor.a"
is_so "the SONAME is the name of the link" prints "[libtn_compactor.so.$major]" readelf -dW "$prefix/lib/libtn_compactor.so.$version"
modes() {
  (umask 077 && install PREFIX="$away/umask") >/dev/null
  find "$away/umask" ! -type l -printf '%m %y %P\n' | grep -v -e '^755 d' -e '^644 f' -e "^755 f lib/libtn_compactor.so.$version$"
}
is_so "everybody may read what is installed, whatever the umask" is_empty "$(modes)"
before=$(find target/release -maxdepth 1 -printf '%p %T@\n')
# Root, who installs, often has no cargo.
is_so "after make, installing needs no cargo" install PREFIX="$prefix" CARGO=/nowhere/cargo
is_so "installing writes nothing into the tree" same "$(find target/release -maxdepth 1 -printf '%p %T@\n')" "$before"

is_so "make uninstall" make uninstall PREFIX="$prefix"
is_so "it leaves no file" is_empty "$(listing "$prefix")"
is_so "make uninstall where nothing is installed" make uninstall PREFIX="$away/nowhere"

# As a packager does: everything elsewhere, and all of it staged.
staged=$away/staged
elsewhere=(PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu INCLUDEDIR=/usr/include/tn DESTDIR="$staged")
is_so "make install with LIBDIR, INCLUDEDIR and DESTDIR" install "${elsewhere[@]}"
same_staged() {
  same "$(cd "$staged" && find . -type f | LC_ALL=C sort)" "./usr/include/tn/tn_compactor.h
./usr/include/tn/tn_compactor.hpp
./usr/lib/x86_64-linux-gnu/cmake/tn_compactor/tn_compactor-config-version.cmake
./usr/lib/x86_64-linux-gnu/cmake/tn_compactor/tn_compactor-config.cmake
./usr/lib/x86_64-linux-gnu/cmake/tn_compactor/tn_compactor-location.cmake
./usr/lib/x86_64-linux-gnu/libtn_compactor.a
./usr/lib/x86_64-linux-gnu/libtn_compactor.so.$version
./usr/lib/x86_64-linux-gnu/pkgconfig/tn_compactor.pc"
}
is_so "every file goes where it was told to" same_staged
is_so "no file names the folder where it was staged" is_empty "$(grep -rlF "$staged" "$staged")"
is_so "the pkg-config file names LIBDIR" grep -qxF "libdir=\${prefix}/lib/x86_64-linux-gnu" "$staged/usr/lib/x86_64-linux-gnu/pkgconfig/tn_compactor.pc"
is_so "the pkg-config file names INCLUDEDIR" grep -qxF "includedir=\${prefix}/include/tn" "$staged/usr/lib/x86_64-linux-gnu/pkgconfig/tn_compactor.pc"
is_so "make uninstall with the same" make uninstall "${elsewhere[@]}"
is_so "it leaves no file there" is_empty "$(find "$staged" ! -type d)"

install PREFIX="$prefix" >/dev/null
