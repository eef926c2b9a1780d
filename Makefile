# tn_compactor: `make` builds the libraries and the C program, `make demo` shows them at work, `make test` runs every test.

CARGO ?= cargo
CC ?= cc
CFLAGS ?= -O2

version := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
release := target/release
sources := $(shell find src -name '*.rs') build.rs Cargo.toml Cargo.lock
# What the library says of itself in a panic's place names neither this folder nor cargo's.
remap := --remap-path-prefix=$(CURDIR)=tn_compactor \
  --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)/registry/src=registry
build := RUSTFLAGS="$(RUSTFLAGS) $(remap)" $(CARGO) rustc --locked --release --lib
warnings := -Wall -Wextra -pedantic-errors -Werror -Wstrict-prototypes

all: lib $(release)/compact

# Each artefact is built on its own: with an rlib in the same build, rustc would switch link-time optimization off.
lib: $(release)/libtn_compactor.so $(release)/libtn_compactor.a

$(release)/libtn_compactor.so: $(sources)
	$(build) --crate-type cdylib
	ln -sf libtn_compactor.so $(release)/libtn_compactor.so.0
	@touch $@

$(release)/libtn_compactor.a: $(sources)
	$(build) --crate-type staticlib
	@touch $@

$(release)/compact: $(wildcard bindings/c/*.c bindings/c/*.h) include/tn_compactor.h $(release)/libtn_compactor.so
	$(CC) -std=c99 -D_POSIX_C_SOURCE=200809L $(CFLAGS) $(warnings) -Iinclude $(filter %.c,$^) \
	  -L$(release) -ltn_compactor -Wl,-rpath,'$$ORIGIN' -o $@

header:
	TN_WRITE_HEADER=1 $(CARGO) test --locked --test header

demo: $(release)/compact
	@mkdir -p target/demo
	$(release)/compact --max-tokens 8000 --flush-to-memory --explain \
	  < bindings/c/transcript.json > target/demo/compacted.json
	@echo "The compacted transcript is in target/demo/compacted.json."

test: all
	tests/run

# The table, then the library beside the ports that its bindings replace; ARGS=--write puts the table into the README.
bench: all
	$(CARGO) bench --locked
	benches/run $(ARGS)

clean:
	$(CARGO) clean

.PHONY: all lib header demo test bench clean
