# The C and C++ programs of the README, outside of the tree, by pkg-config.

if ! command -v pkg-config >/dev/null; then
  skip "install pkg-config" "pkg-config is not installed"
else
  is_so "the pkg-config file is valid" pkg_config "$prefix" --validate
  # Private to the static library is what rustc says, but for the two that the compiler adds in the form that fits.
  is_so "Libs.private is what rustc names, but for libgcc_s and libc" same \
    "$(pkg_config "$prefix" --static --libs-only-l | tr ' ' '\n' | grep . | grep -vx -e -ltn_compactor | sort)" \
    "$(tr ' ' '\n' <target/release/native-static-libs | grep -vx -e -lgcc_s -e -lc | sort)"

  for source in example.c example.cpp; do
    # shellcheck disable=SC2046 # flags are words
    is_so "$source builds by pkg-config" build shared "$source" $(pkg_config "$prefix" --cflags --libs)
    is_so "it runs by LD_LIBRARY_PATH" summarized env LD_LIBRARY_PATH="$prefix/lib" "$consumer/shared"
    is_so "without it, the loader names what is missing" refuses "libtn_compactor.so.$major" "$consumer/shared"

    # shellcheck disable=SC2046
    is_so "$source builds with the library's folder remembered" build remembered "$source" $(pkg_config "$prefix" --cflags --libs) -Wl,-rpath,"$prefix/lib"
    is_so "it runs by itself" summarized "$consumer/remembered"

    # shellcheck disable=SC2046
    is_so "$source builds with the static library" build static "$source" $(pkg_config "$prefix" --static --cflags) -Wl,-Bstatic \
      $(pkg_config "$prefix" --libs) -Wl,-Bdynamic $(pkg_config "$prefix" --static --libs-only-l | sed 's/-ltn_compactor//')
    is_so "it needs no shared library of ours" needs_no_shared "$consumer/static"
    is_so "it runs" summarized "$consumer/static"

    # shellcheck disable=SC2046
    is_so "$source builds static as a whole" build whole "$source" -static $(pkg_config "$prefix" --static --cflags --libs)
    is_so "it runs with nothing loaded" summarized "$consumer/whole"
  done

  # Where there is only the static library, as some packagers split it, the same flags find it.
  cp -R "$prefix" "$away/archive-only"
  rm "$away/archive-only/lib/"libtn_compactor.so*
  # shellcheck disable=SC2046
  is_so "the static library alone is found by the flags of pkg-config" build archive example.c $(PKG_CONFIG_PATH="$away/archive-only/lib/pkgconfig" pkg-config --define-prefix --static --cflags --libs tn_compactor)
  is_so "that program runs" summarized "$consumer/archive"
fi
