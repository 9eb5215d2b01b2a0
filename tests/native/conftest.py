import pytest

from steelyard.native import NoCompiler, find_compiler


def has_compiler() -> bool:
    try:
        find_compiler()
    except NoCompiler:
        return False
    return True


@pytest.fixture(autouse=True)
def needs_a_compiler():
    if not has_compiler():
        pytest.skip("there is no C compiler")
