import pytest
from compilers import has_compiler


@pytest.fixture(autouse=True)
def needs_a_compiler():
    if not has_compiler():
        pytest.skip("there is no C compiler")
