#!/bin/sh
# The library held against the hand-written Python port of the compactor.
#
#   tests/port/run.sh          the comparison; the last line is "N passed, N failed, N skipped"
#   tests/port/run.sh bench    the times of both, in one run
#
# The port comes from PyPI into target/venv-port, once for each content of requirements.txt. Where it cannot be had the
# suite is skipped, which is no failure. TN_LIBRARY names another library than target/release/libtn_compactor.so,
# TN_TRANSCRIPTS another folder of real transcripts than ../shared/transcripts.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$root/target/venv-port
log=$root/target/venv-port.log
PYTHONDONTWRITEBYTECODE=1
PYTHONUTF8=1
export PYTHONDONTWRITEBYTECODE PYTHONUTF8

case ${1-} in
    ''|bench) ;;
    *) echo "usage: $0 [bench]" >&2; exit 2 ;;
esac

skip() {
    echo "SKIP python port: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

command -v python3 >/dev/null 2>&1 || skip "python3 is not installed"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "python3 is older than 3.9"

# The copy of the requirements inside the environment is written last: it says that the environment is whole.
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
    rm -rf "$venv"
    mkdir -p "$root/target"
    python3 -m venv "$venv" >"$log" 2>&1 || skip "python3 -m venv failed ($(tail -n 1 "$log"))"
    # The port's module imports nothing of the package around it, so none of the package's dependencies is installed.
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --require-hashes --requirement "$here/requirements.txt" >"$log" 2>&1 ||
        skip "the package could not be installed ($(grep -m 1 ERROR "$log" || tail -n 1 "$log"))"
    cp "$here/requirements.txt" "$venv/requirements.txt"
fi

case ${1-} in
    bench) exec "$venv/bin/python" "$here/bench.py" ;;
    *)     exec "$venv/bin/python" "$here/compare.py" ;;
esac
