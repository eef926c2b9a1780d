# tn_compactor: `make` builds the libraries and the C program, `make demo` shows them at work, `make test` runs every test,
# `make install` puts the library where other programs find it.

CARGO ?= cargo
CC ?= cc
CFLAGS ?= -O2
INSTALL ?= install
# GNU's, for the archives.
TAR ?= tar
PYTHON ?= python3
WHEELS ?= target/wheel/dist
# What stands in for the Clojure CLI, and needs Maven.
CLOJURE ?= tools/clojure

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
CMAKEDIR ?= $(LIBDIR)/cmake/tn_compactor

# Cargo.toml has the version; every other place takes it from there.
version := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
major := $(firstword $(subst ., ,$(version)))
description := $(shell sed -n 's/^description = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# The names of the shared library: as it is built, as programs ask for it, and with its whole version.
ifeq ($(shell uname -s),Darwin)
built := libtn_compactor.dylib
soname := libtn_compactor.$(major).dylib
versioned := libtn_compactor.$(version).dylib
else
built := libtn_compactor.so
soname := $(built).$(major)
versioned := $(built).$(version)
endif
archive := libtn_compactor.a

release := target/release
# What the library says of itself in a panic's place names neither this folder nor cargo's.
remap := --remap-path-prefix=$(CURDIR)=tn_compactor \
  --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)/registry/src=registry
build := RUSTFLAGS="$(RUSTFLAGS) $(remap)" $(CARGO) rustc --locked --release --lib --target-dir target
warnings := -Wall -Wextra -pedantic-errors -Werror -Wstrict-prototypes

all: lib $(release)/compact

# Each artefact is built on its own: with an rlib in the same build, rustc would switch link-time optimization off. cargo knows what
# is up to date, also after a build of its own has put other artefacts into the same folder.
lib:
	$(build) --crate-type cdylib
	ln -sf $(built) $(release)/$(soname)
	$(build) --crate-type staticlib -- --print native-static-libs=$(release)/native-static-libs
	@$(identity) > $(release)/made

# What `make` built last. `make install` installs that and nothing else: not what a build of cargo's own left in its place.
identity = (echo $(version) && cd $(release) && cksum $(built) $(archive) native-static-libs)

$(release)/compact: $(wildcard bindings/c/*.c bindings/c/*.h) include/tn_compactor.h | lib
	$(CC) -std=c99 -D_POSIX_C_SOURCE=200809L $(CFLAGS) $(warnings) -Iinclude $(filter %.c,$^) \
	  -L$(release) -ltn_compactor -Wl,-rpath,'$$ORIGIN' -o $@

headers := include/tn_compactor.h include/tn_compactor.hpp
cmake_files := $(wildcard packaging/*.cmake)
# What the pkg-config file says, with the folders below PREFIX told from there.
PC_PREFIX ?= $(PREFIX)
below_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
# What rustc says that the static library needs, but for libgcc_s and libc. The compiler adds these by itself, and in a program that
# is static as a whole it takes another for libgcc_s, which is a shared library only.
libs_private = $$(tr ' ' '\n' < $(release)/native-static-libs | grep -vxE -e '-lgcc_s|-lc' | paste -sd' ' -)

# Builds only where `make` has not, so that root, who often has no cargo, can install.
install:
	@$(identity) 2>/dev/null | cmp -s - $(release)/made || $(MAKE) lib
	$(INSTALL) -d '$(DESTDIR)$(LIBDIR)' '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(PKGCONFIGDIR)' '$(DESTDIR)$(CMAKEDIR)'
	$(INSTALL) -m 755 $(release)/$(built) '$(DESTDIR)$(LIBDIR)/$(versioned)'
	ln -sf $(versioned) '$(DESTDIR)$(LIBDIR)/$(soname)'
	ln -sf $(versioned) '$(DESTDIR)$(LIBDIR)/$(built)'
	$(INSTALL) -m 644 $(release)/$(archive) '$(DESTDIR)$(LIBDIR)/$(archive)'
	$(INSTALL) -m 644 $(headers) '$(DESTDIR)$(INCLUDEDIR)'
	$(INSTALL) -m 644 $(cmake_files) '$(DESTDIR)$(CMAKEDIR)'
	sed -e 's|@PREFIX@|$(PC_PREFIX)|' -e 's|@LIBDIR@|$(call below_prefix,$(LIBDIR))|' \
	  -e 's|@INCLUDEDIR@|$(call below_prefix,$(INCLUDEDIR))|' -e 's|@VERSION@|$(version)|' -e 's|@DESCRIPTION@|$(description)|' \
	  -e "s|@LIBS_PRIVATE@|$(libs_private)|" packaging/tn_compactor.pc.in > '$(DESTDIR)$(PKGCONFIGDIR)/tn_compactor.pc'
	chmod 644 '$(DESTDIR)$(PKGCONFIGDIR)/tn_compactor.pc'

uninstall:
	rm -f $(foreach name,$(versioned) $(soname) $(built) $(archive),'$(DESTDIR)$(LIBDIR)/$(name)') \
	  $(foreach name,$(notdir $(headers)),'$(DESTDIR)$(INCLUDEDIR)/$(name)') \
	  $(foreach name,$(notdir $(cmake_files)),'$(DESTDIR)$(CMAKEDIR)/$(name)') '$(DESTDIR)$(PKGCONFIGDIR)/tn_compactor.pc'
	-rmdir '$(DESTDIR)$(CMAKEDIR)'

# The archives: the sources, and what `make install` installs, to be unpacked wherever it is wanted. The same sources give the same bytes,
# whoever packs them in whatever folder; the time in the archives is the commit's, and that of Cargo.toml where there is no git.
dist: lib
	rm -rf $(dist)
	mkdir -p $(dist)
	$(sources) | LC_ALL=C sort -z > $(dist)/sources
	test -s $(dist)/sources
	$(pack) --null --files-from=$(dist)/sources --transform='s|^|$(name)/|S' -f $(dist)/$(name).tar
	$(MAKE) install DESTDIR=$(dist)/ PREFIX=/$(binary) PC_PREFIX='$$$${pcfiledir}/../..'
	cp README.md CHANGELOG.md LICENSE $(dist)/$(binary)
	$(pack) --sort=name -C $(dist) -f $(dist)/$(binary).tar $(binary)
	gzip -n -9 $(dist)/*.tar
	rm -rf $(dist)/sources $(dist)/$(binary)
	cd $(dist) && sha256sum *.tar.gz > SHA256SUMS

dist := target/dist
name := tn_compactor-$(version)
binary = $(name)-$(shell rustc -vV | sed -n 's/^host: //p')
epoch = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),$(shell date -r Cargo.toml +%s))
sources = if [ -e .git ]; then git ls-files -z; else find . -path ./target -prune -o ! -type d -print0 | sed -z 's|^\./||'; fi
pack = $(TAR) -c --format=ustar --mtime=@$(epoch) --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w,a+X

# The source distribution for Python and, made from it, the wheel, named for the oldest platform that it runs on. PYTHON has to have the
# package `build`; where libraries of the system are too new for any platform that PyPI takes, this fails.
wheel:
	CARGO_TARGET_DIR=$(CURDIR)/target/wheel $(PYTHON) -m build --outdir $(WHEELS) -C build-args='--compatibility pypi' bindings/python

# The jar for Java and Clojure, with the library inside.
jar: lib
	cd bindings/clojure && $(CLOJURE) -M:build

header:
	TN_WRITE_HEADER=1 $(CARGO) test --locked --test header

demo: $(release)/compact
	@mkdir -p target/demo
	$(release)/compact --max-tokens 8000 --flush-to-memory --explain \
	  < bindings/c/transcript.json > target/demo/compacted.json
	@echo "The compacted transcript is in target/demo/compacted.json."

# The comments as pages to browse: target/doc/headers for C and C++, target/doc/tn_compactor for Rust.
docs:
	CARGO="$(CARGO)" docs/reference/write

test: all
	tests/run

# Describes the interface as it is now, for the tests to hold later ones against.
abi:
	tests/abi/run.sh --accept

# The tests under AddressSanitizer, ThreadSanitizer, UndefinedBehaviorSanitizer and valgrind.
sanitize: all
	tests/run sanitize

# A hundred thousand compactions in one process, through C and through each binding; `make test` has five thousand.
endurance: all
	tests/endurance/run 100000

# What builds whole packages: the crate, by cargo-c, wheels, archives. Takes minutes, and more of them where cargo-c is not built yet.
test-install: all
	tests/run --install

# The table, then the library beside the ports that its bindings replace; ARGS=--write puts the table into the README.
bench: all
	$(CARGO) bench --locked
	benches/run $(ARGS)

# Feeds the library what no host would send on purpose, so many seconds for each target: make fuzz SECONDS=600 TARGET="plan ffi"
SECONDS ?= 60

fuzz:
	fuzz/run --seconds $(SECONDS) $(TARGET)

# Measures what hostile input costs, and writes docs/hostile-input.md.
hostile-table:
	TN_WRITE_TABLE=1 $(CARGO) test --locked --release --test hostile_growth

clean:
	$(CARGO) clean

.PHONY: all lib header abi demo test sanitize endurance bench fuzz hostile-table docs install uninstall test-install jar dist wheel clean
