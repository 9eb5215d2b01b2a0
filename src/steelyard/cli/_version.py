"""`steelyard --version`: the version, the numerical engine and the C compiler, for a bug report."""

import platform
import subprocess
from importlib import metadata

from steelyard import __version__


def version() -> str:
    """Three lines."""
    return f"steelyard {__version__}\nengine: {_engine()}\ncompiler: {_compiler()}"


def _engine() -> str:
    jax, jaxlib = metadata.version("jax"), metadata.version("jaxlib")
    return f"jax {jax}, jaxlib {jaxlib}, Python {platform.python_version()} on {platform.machine()}"


def _compiler() -> str:
    from steelyard.native import NoCompiler, find_compiler

    try:
        compiler = find_compiler()
        asked = subprocess.run([compiler, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (NoCompiler, OSError, subprocess.SubprocessError) as reason:
        return f"none ({reason}); streams and teams run without machine code, which is slower"
    return f"{compiler}: {asked.stdout.partition(chr(10))[0]}"
