#!/usr/bin/env bash
# Builds the C and C++ programs of this folder against the shared library, runs each, and runs each again under valgrind.
# CC, CXX and CARGO may name other tools.
set -u
cd "$(dirname "$0")/../.." || exit 1

library=target/release
built=target/tests/c
faulty=target/fault-injection
cc=${CC:-cc} cxx=${CXX:-c++} cargo=${CARGO:-cargo}
c_flags=(-std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -Wall -Wextra -pedantic -Werror -Wstrict-prototypes -g)
cxx_flags=(-std=c++11 -Wall -Wextra -pedantic -Werror -g)
programs=(arguments callback constants estimate limits options plan quiet text threads)
# shellcheck source=tests/check.sh
. tests/check.sh

mkdir -p "$built"
for name in check conversation host; do
  "$cc" "${c_flags[@]}" -Iinclude -Itests/c -c "tests/c/$name.c" -o "$built/$name.o" || fail "$name.c compiles"
done
objects=("$built/check.o" "$built/conversation.o" "$built/host.o")

# build PROGRAM FOLDER_OF_THE_LIBRARY
build() {
  local links=(-L"$2" -ltn_compactor -Wl,-rpath,"$PWD/$2" -lpthread -ldl)
  if [ -e "tests/c/$1.cpp" ]; then
    "$cxx" "${cxx_flags[@]}" -Iinclude -Itests/c "tests/c/$1.cpp" "${objects[@]}" "${links[@]}" -o "$built/$1"
  else
    "$cc" "${c_flags[@]}" -Iinclude -Itests/c "tests/c/$1.c" "${objects[@]}" "${links[@]}" -o "$built/$1"
  fi || { fail "$1: it compiles"; return 1; }
}

# Runs a program and counts its lines. As many as it announced, as its source has tests, and as it ran: else it fails.
run() {
  local name=$1 log="$built/$1.log" source status announced ok not_ok listed
  source=$(ls "tests/c/$name".c*)
  timeout 300 "$built/$name" >"$log" 2>&1
  status=$?
  grep -E '^(ok|not ok|#) ' "$log"
  announced=$(sed -n 's/^1\.\.//p' "$log" | head -n 1)
  ok=$(grep -c '^ok ' "$log") not_ok=$(grep -c '^not ok ' "$log")
  listed=$(grep -o '\bTEST([a-z0-9_]*)' "$source" | sort -u | wc -l)
  passed=$((passed + ok)) failed=$((failed + not_ok))
  if [ "${announced:-0}" -ne $((ok + not_ok)) ] || [ "${announced:-0}" -ne "$listed" ]; then
    tail -n 5 "$log"
    fail "$name: it ended with status $status after $((ok + not_ok)) of ${announced:-0} tests, and lists $listed"
  elif [ "$status" -ne 0 ] && [ "$not_ok" -eq 0 ]; then
    fail "$name: it ended with status $status"
  fi
}

# Runs a program under valgrind, with fewer repetitions: no error, nothing leaked.
memcheck() {
  local name=$1 log="$built/$1.memcheck.log" status
  if ! command -v valgrind >/dev/null; then
    skip "$name under valgrind" "it is not installed"
    return
  fi
  timeout 600 valgrind --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=9 --num-callers=30 \
    "$built/$name" slow >"$log" 2>&1
  status=$?
  if [ "$status" -eq 0 ]; then
    pass "$name is clean under valgrind"
  else
    grep -E '^(not ok|#) |^==' "$log" | head -n 60
    fail "$name is clean under valgrind: status $status, see $log"
  fi
}

for name in "${programs[@]}"; do
  build "$name" "$library" && run "$name" && memcheck "$name"
done
# Has a malloc of its own, which stands on glibc's, so there is nothing to see for valgrind: it counts by itself what is left.
if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
  build memory "$library" && run memory
else
  skip "memory" "this libc is not glibc"
fi

if command -v "$cxx" >/dev/null; then
  build exception "$library" && run exception && memcheck exception
else
  skip "exception" "there is no C++ compiler"
fi

# The panics need a library of their own, which has them planted.
if ! command -v "$cargo" >/dev/null; then
  skip "panic" "cargo is not installed"
elif "$cargo" rustc --locked --quiet --lib --crate-type cdylib --features fault-injection --target-dir "$faulty"; then
  ln -sf libtn_compactor.so "$faulty/debug/libtn_compactor.so.0"
  build panic "$faulty/debug" && run panic && memcheck panic
  # The marker is found where it is, so its absence from the release means something.
  if ! grep -q tn-fault-injection "$faulty/debug/libtn_compactor.so"; then
    fail "the faults of the test library are planted"
  elif grep -q tn-fault-injection "$library/libtn_compactor.so" "$library/libtn_compactor.a"; then
    fail "no fault is planted in the release"
  else
    pass "no fault is planted in the release"
  fi
else
  fail "the library with planted faults builds"
fi

# A source that no list above names would never run.
for source in tests/c/*.c tests/c/*.cpp; do
  name=$(basename "${source%.*}")
  case " ${programs[*]} check conversation host memory exception panic " in
    *" $name "*) ;;
    *) fail "$source is run by nothing" ;;
  esac
done

finish
