"""maturin's build backend, told where the declarations of the C interface are.

maturin takes them from ``header.h`` in cargo's target directory, and would otherwise have cbindgen write what cffi cannot read.
The target directory is one of its own, because maturin builds with other flags than the Makefile does.
"""
from __future__ import annotations

import os
import shutil
from pathlib import Path

from maturin import *  # noqa: F403 - the hooks of PEP 517 and PEP 660

_here = Path(__file__).resolve().parent
# In a source distribution the crate is beside this file, in the repository two folders above.
_crate = _here if (_here / "Cargo.toml").is_file() else _here.parents[1]
_target = Path(os.environ.setdefault("CARGO_TARGET_DIR", str(_crate / "target" / "python")))
_target.mkdir(parents=True, exist_ok=True)
shutil.copyfile(_here / "tn_compactor_declarations.h", _target / "header.h")

# What the library says of itself in a panic's place names neither this folder nor cargo's.
_cargo = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
_remap = f"--remap-path-prefix={_crate}=tn_compactor --remap-path-prefix={_cargo}/registry/src=registry"
os.environ["RUSTFLAGS"] = f"{os.environ.get('RUSTFLAGS', '')} {_remap}".strip()
