#!/usr/bin/env bash
# The source distribution and, built from it as any front end does, the wheel: installed into an empty environment where there is no
# Rust, it runs the Python program of the README.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/install/check.sh
. tests/install/check.sh
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONUTF8=1
unset PYTHONPATH VIRTUAL_ENV MAKEFLAGS MAKELEVEL MFLAGS
python=${PYTHON:-python3}

tools=$away/tools
if ! "$python" -m venv "$tools" >"$away/log" 2>&1 || ! "$tools/bin/pip" install --quiet --only-binary :all: build auditwheel twine >"$away/log" 2>&1; then
  skip "wheel" "the tools that build and examine wheels could not be installed ($(grep -m 1 ERROR "$away/log" || tail -n 1 "$away/log"))"
  finish
fi
is_so "the source distribution is built, and the wheel from it" make wheel PYTHON="$tools/bin/python" WHEELS="$away/dist"
wheel=$(cd "$away/dist" && echo *.whl)
is_so "there is one of each" same "$(cd "$away/dist" && echo *)" "tn_compactor-$version-${wheel#tn_compactor-"$version"-} tn_compactor-$version.tar.gz"
is_so "the wheel is for any Python 3" grep -qE "^tn_compactor-$version-py3-none-[a-z0-9_.]+\.whl$" <<<"$wheel"
is_so "its papers are in order" "$tools/bin/twine" check --strict "$away/dist"/*

# auditwheel says which platforms the symbols allow; the file's name must not promise more.
promised=${wheel##*-none-}
promised=${promised%.whl}
audit=$("$tools/bin/auditwheel" show "$away/dist/$wheel" 2>&1)
allowed=$(grep -oE '(many|musl)linux_[0-9]+_[0-9]+_[a-z0-9_]+' <<<"$audit" | head -n 1)
holds() {
  echo "$audit"
  local libc=${promised#manylinux_} least=${allowed#manylinux_}
  libc=$(cut -d_ -f2 <<<"$libc") least=$(cut -d_ -f2 <<<"$least")
  [[ $promised == manylinux_* && $allowed == manylinux_* ]] && [ "$libc" -ge "$least" ]
}
is_so "the wheel promises a platform that auditwheel finds in it" holds
is_so "the library is the only one in it" same "$("$python" -m zipfile -l "$away/dist/$wheel" | grep -oE '^\S+\.so\S*')" "tn_compactor/_native/lib_native.so"

# An environment with the system's commands alone.
"$python" -m venv "$away/empty" >/dev/null
mapfile -t settings < <(env | grep '^PIP_')
bare() { env -i HOME="$HOME" PATH="$away/bin" "${settings[@]}" "$@"; }
mkdir "$away/bin"
no_rust() { ! bare bash -c 'command -v cargo || command -v rustc'; }
for command in bash sh env uname; do ln -s "$(command -v "$command")" "$away/bin/"; done
is_so "there is no Rust" no_rust
is_so "pip installs the wheel" bare "$away/empty/bin/pip" install --only-binary :all: "$away/dist/$wheel"
mkdir "$away/garden"
example python >"$away/garden/garden.py"
is_so "the program of the README runs" summarized bare env -C "$away/garden" "$away/empty/bin/python" garden.py
is_so "the package has the version" same "$(bare "$away/empty/bin/python" -c 'import tn_compactor; print(tn_compactor.__version__)')" "$version"
is_so "pip finds nothing missing" bare "$away/empty/bin/pip" check
is_so "pip takes it away again" bare "$away/empty/bin/pip" uninstall --yes tn-compactor
is_so "nothing of it is left" is_empty "$(find "$away/empty" -name '*tn_compactor*')"
finish
