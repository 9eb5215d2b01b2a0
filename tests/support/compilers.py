"""Whether this machine can compile."""

from steelyard.native import NoCompiler, find_compiler


def has_compiler() -> bool:
    try:
        find_compiler()
    except NoCompiler:
        return False
    return True
