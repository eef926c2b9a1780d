# tn_compactor: `make` builds the libraries and the C program, `make demo` shows them at work, `make test` runs every test.

CARGO ?= cargo
CC ?= cc
CFLAGS ?= -O2

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
	ln -sf libtn_compactor.so $(release)/libtn_compactor.so.0
	$(build) --crate-type staticlib

$(release)/compact: $(wildcard bindings/c/*.c bindings/c/*.h) include/tn_compactor.h | lib
	$(CC) -std=c99 -D_POSIX_C_SOURCE=200809L $(CFLAGS) $(warnings) -Iinclude $(filter %.c,$^) \
	  -L$(release) -ltn_compactor -Wl,-rpath,'$$ORIGIN' -o $@

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

.PHONY: all lib header abi demo test sanitize endurance bench fuzz hostile-table docs clean
