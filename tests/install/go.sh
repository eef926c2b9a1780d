# The Go program of the README as a module of its own: by pkg-config, and from a build tree without installing. Then with a library
# that is missing or another one, where the program has to say so and must not crash.

module=$away/module
mkdir -p "$module"
example go >"$module/main.go"
unset GOFLAGS CGO_CFLAGS CGO_LDFLAGS
in_module() { env -C "$module" GOFLAGS="-buildvcs=false -mod=mod" CGO_ENABLED=1 PKG_CONFIG_PATH= "$@"; }
remembering() { local -x CGO_LDFLAGS="-Wl,-rpath,$prefix/lib" && "$@"; }

# elsewhere NAME PKGCONFIGDIR: builds the program with the library that is told of there. Go keeps what it compiled together with the
# flags that pkg-config gave at that time, so each time it has to be another copy of the module.
elsewhere() {
  cp -R "$root/bindings/go" "$away/$1-go"
  in_module go mod edit -replace=github.com/tn-compactor/tn_compactor/bindings/go="$away/$1-go"
  PKG_CONFIG_LIBDIR=$2 in_module go build -tags tn_pkgconfig -o "$1" .
}

# another FOLDER: a libtn_compactor that has every function, and speaks an interface of its own.
another() {
  mkdir -p "$1"
  {
    echo 'unsigned tn_abi_version(void) { return 4711; }'
    echo 'const char *tn_version(void) { return "47.11.0"; }'
    grep -vx -e tn_abi_version -e tn_version "$root/tests/artifact/symbols.txt" | sed 's/.*/void *&(void) { return 0; }/'
  } >"$1/another.c"
  "${CC:-cc}" -shared -fPIC "$1/another.c" -Wl,-soname,"libtn_compactor.so.$major" -o "$1/libtn_compactor.so.$major"
  ln -sf "libtn_compactor.so.$major" "$1/libtn_compactor.so"
}
is_so "a library of another interface is made" another "$away/another"

if ! command -v go >/dev/null || ! command -v pkg-config >/dev/null; then
  skip "install Go" "Go and pkg-config are not both installed"
else
  in_module go mod init hello >/dev/null 2>&1
  in_module go mod edit -require=github.com/tn-compactor/tn_compactor/bindings/go@v0.0.0
  is_so "a Go module builds by pkg-config" elsewhere installed "$prefix/lib/pkgconfig"
  is_so "it runs by LD_LIBRARY_PATH" summarized env LD_LIBRARY_PATH="$prefix/lib" "$module/installed"
  is_so "a Go module builds with the library's folder remembered" remembering elsewhere remembered "$prefix/lib/pkgconfig"
  is_so "it runs by itself" summarized "$module/remembered"
  is_so "it runs on the library that is installed" prints "$prefix/lib/libtn_compactor.so.$major" ldd "$module/remembered"
  in_module go mod edit -replace=github.com/tn-compactor/tn_compactor/bindings/go="$root/bindings/go"
  is_so "a Go module builds from a build tree" in_module go build -o tree .
  is_so "it runs on the library of that tree" summarized "$module/tree"

  is_so "where nothing is installed, the build says so" refuses "tn_compactor.pc" elsewhere nothing /nowhere
  cp -R "$prefix" "$away/headers-only"
  rm "$away/headers-only/lib/"libtn_compactor.*
  sed -i "s|^prefix=.*|prefix=$away/headers-only|" "$away/headers-only/lib/pkgconfig/tn_compactor.pc"
  is_so "where the library is missing, the linker says so" refuses "-ltn_compactor" elsewhere unlinked "$away/headers-only/lib/pkgconfig"
  sed -i 's/^\(#define TN_ABI_VERSION\) .*/\1 4711/' "$away/headers-only/include/tn_compactor.h"
  is_so "a header of another interface is refused" refuses "describes another" elsewhere stale "$away/headers-only/lib/pkgconfig"
  is_so "where the library went away, the loader says so" refuses "libtn_compactor.so.$major" "$module/installed"
  is_so "a library of another interface is refused at the start" refuses "47.11.0, speaks interface 4711" \
    env LD_LIBRARY_PATH="$away/another" "$module/installed"
  is_so "a C++ program refuses it too, by what it throws" prints "47.11.0 speaks interface 4711" env LD_LIBRARY_PATH="$away/another" "$consumer/shared"
fi
