#!/usr/bin/env bash
# The tests of the Python binding, on a wheel built for them; the last line is "N passed, N failed, N skipped".
#
#   bindings/python/test.sh              all tests; further arguments go to pytest
#   bindings/python/test.sh bench        the times beside the port that the binding takes the place of
#   bindings/python/test.sh endurance …  tests/endurance.py, with these arguments
#
# PYTHON names the interpreter, python3 by default. What is needed comes from PyPI into target/python.
set -u
cd "$(dirname "$0")/../.." || exit 1

here=bindings/python
work=target/python
python=${PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1 PIP_DISABLE_PIP_VERSION_CHECK=1

skip() {
  echo "SKIP python: $1"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}
broken() {
  echo "$1"
  [ ! -s "$log" ] || tail -n 30 "$log"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
}

command -v "$python" >/dev/null || skip "$python is not installed"
command -v cargo >/dev/null || skip "cargo is not installed"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python $version is older than 3.10"

venv=$work/venv-$version
log=$work/venv-$version.log
mkdir -p "$work"

# The copy of the requirements inside the environment is written last: it says that the environment is whole.
if ! cmp -s "$here/tests/requirements.txt" "$venv/requirements.txt"; then
  rm -rf "$venv"
  if ! "$python" -m venv "$venv" >"$log" 2>&1; then
    # Debian packs venv apart.
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
      DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "python$version-venv" >>"$log" 2>&1
    fi
    rm -rf "$venv"
    "$python" -m venv "$venv" >>"$log" 2>&1 || skip "python3 -m venv failed ($(tail -n 1 "$log"))"
  fi
  "$venv/bin/python" -m pip install --quiet --only-binary :all: --require-hashes -r "$here/tests/requirements.txt" \
    >"$log" 2>&1 || skip "the packages it needs could not be installed ($(grep -m 1 ERROR "$log" || tail -n 1 "$log"))"
  cp "$here/tests/requirements.txt" "$venv/requirements.txt"
fi

# maturin is looked for on the path.
export PATH="$PWD/$venv/bin:$PATH"
wheels=$(mktemp -d "$work/wheel-XXXXXX")
trap 'rm -rf "$wheels"' EXIT
"$venv/bin/python" -m pip wheel --quiet --no-deps --no-build-isolation -w "$wheels" "./$here" >"$log" 2>&1 ||
  broken "the wheel does not build"
"$venv/bin/python" -m pip install --quiet --no-deps --force-reinstall "$wheels"/*.whl >"$log" 2>&1 ||
  broken "the wheel cannot be installed"
TN_WHEEL=$(echo "$PWD/$wheels"/*.whl)
export TN_WHEEL

if [ "${1-}" = bench ]; then
  "$venv/bin/python" "$here/bench/against_the_port.py"
elif [ "${1-}" = endurance ]; then
  "$venv/bin/python" "$here/tests/endurance.py" "${@:2}"
else
  "$venv/bin/python" -m pytest -c "$here/pyproject.toml" --rootdir "$here" "$here/tests" "$@"
fi
