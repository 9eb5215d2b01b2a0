import functools

import pytest
import registry

_built = functools.cache(registry.build)


@pytest.fixture(params=registry.CASES)
def case(request: pytest.FixtureRequest) -> registry.Case:
    return _built(request.param)
