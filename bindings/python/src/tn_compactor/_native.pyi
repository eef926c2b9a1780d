# The build makes this module: the shared library, and cffi's reading of its declarations.
from typing import Any

ffi: Any
lib: Any
