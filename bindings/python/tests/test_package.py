"""The package that was built: what is in it, what it says of itself, and what its types say."""
from __future__ import annotations

import email
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
import tn_compactor
from conversation import BINDING, ROOT

WHEEL = Path(os.environ["TN_WHEEL"])
DECLARATIONS = (BINDING / "tn_compactor_declarations.h").read_text(encoding="utf-8")
VERSION = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]  # type: ignore[index]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with zipfile.ZipFile(WHEEL) as wheel:
        return Path(wheel.extract("tn_compactor/_native/lib_native.so", tmp_path_factory.mktemp("wheel")))


def output(*command: Any) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"python wheel: {command[0]} is not installed")
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tests_run_on_the_installed_wheel_and_not_on_the_sources() -> None:
    assert Path(tn_compactor.__file__).parent == Path(sys.prefix, *Path(tn_compactor.__file__).parts[-5:-1])
    assert BINDING not in Path(tn_compactor.__file__).parents


def test_the_version_is_cargos_everywhere() -> None:
    assert tn_compactor.__version__ == importlib.metadata.version("tn-compactor") == VERSION
    assert WHEEL.name.startswith(f"tn_compactor-{VERSION}-py3-none-")


def test_the_library_speaks_the_interface_that_the_declarations_describe() -> None:
    from tn_compactor._native import lib

    assert lib.tn_abi_version() == lib.TN_ABI_VERSION


def test_the_metadata_are_complete() -> None:
    metadata = importlib.metadata.metadata("tn-compactor")
    assert metadata["License-Expression"] == "MIT" and metadata["Requires-Python"] == ">=3.10"
    assert "Typing :: Typed" in (metadata.get_all("Classifier") or [])
    assert metadata.get_all("Requires-Dist") == ["cffi>=1.17"]
    with zipfile.ZipFile(WHEEL) as wheel:
        names = wheel.namelist()
        (readme,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        text = email.message_from_bytes(wheel.read(readme)).get_payload(decode=True)
    assert isinstance(text, bytes) and text.decode().strip() == (BINDING / "README.md").read_text("utf-8").strip()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    sources = {f"tn_compactor/{file.name}" for file in (BINDING / "src" / "tn_compactor").iterdir() if file.is_file()}
    assert "tn_compactor/py.typed" in sources and sources <= set(names)
    assert not [name for name in names if "test" in name or "__pycache__" in name]


def test_the_library_exports_the_functions_of_the_header_and_nothing_else(library: Path) -> None:
    exported = [line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()]
    assert sorted(exported) == sorted(re.findall(r"\b(tn_\w+)\((?!\*)", DECLARATIONS)) and len(exported) > 20


def test_the_library_is_optimized_as_a_whole_and_stripped(library: Path) -> None:
    sections = output("readelf", "-SW", library)
    assert ".text" in sections and not re.search(r"\.symtab|\.debug_", sections)
    # Without link-time optimization it is half as large again as the Makefile's, whose size has a test of its own.
    makefiles = ROOT / "target" / "release" / "libtn_compactor.so"
    assert library.stat().st_size < 1.1 * makefiles.stat().st_size


def test_the_library_needs_the_systems_libraries_alone_and_names_no_folder_of_this_machine(library: Path) -> None:
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", library))
    assert needed and all(re.match(r"libc\.so\.6|libgcc_s\.so\.1|ld-linux|libc\.musl", name) for name in needed)
    for folder in (str(ROOT), os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))):
        assert folder.encode() not in library.read_bytes()


def test_the_source_distribution_builds_where_the_repository_is_not(tmp_path: Path) -> None:
    backend = "import build_backend, sys; build_backend.build_sdist(sys.argv[1])"
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(
        [sys.executable, "-c", backend, tmp_path], cwd=BINDING, env=environment, check=True, capture_output=True, timeout=600
    )
    archive = tmp_path / f"tn_compactor-{VERSION}.tar.gz"
    with tarfile.open(archive) as sources:
        names = {name.split("/", 1)[1] for name in sources.getnames() if "/" in name}
    assert {"LICENSE", "README.md", "build_backend.py", "tn_compactor_declarations.h", "Cargo.lock"} <= names
    # Its own target directory, but what was compiled for the wheel need not be compiled again.
    environment["CARGO_TARGET_DIR"] = str(ROOT / "target" / "python")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", tmp_path / "site", archive], env=environment, check=True, timeout=600)
    program = "import sys; sys.path.insert(0, sys.argv[1]); import tn_compactor; print(tn_compactor.__file__)"
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "site"], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith(str(tmp_path / "site")), done.stderr


def mypy(*arguments: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", sys.executable, "--cache-dir", os.devnull]
    return subprocess.run([*command, *map(str, arguments)], cwd=BINDING, capture_output=True, text=True, timeout=600)


def test_the_package_is_typed_down_to_its_oldest_python() -> None:
    done = mypy("--python-version", "3.10", "src")
    assert done.returncode == 0, done.stdout


def test_the_examples_are_typed() -> None:
    pytest.importorskip("toolnexus", reason="python agent loop: toolnexus needs Python 3.11")
    done = mypy("examples", "--ignore-missing-imports")
    assert done.returncode == 0, done.stdout


def test_a_hosts_types_come_through_the_installed_package(tmp_path: Path) -> None:
    done = mypy("tests/typed_host.py")
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from tn_compactor import compactor\ncompactor(max_tokens='many', summarize=len)\n", "utf-8")
    done = mypy(wrong)
    assert done.returncode == 1 and 'incompatible type "str"; expected "int"' in done.stdout, done.stdout
