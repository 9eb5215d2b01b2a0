"""Configuration: TOML read into typed values, every key with a default, every mistake named."""

from ._read import load as load
from ._read import parse as parse
from ._schema import Config as Config
from ._schema import Guess as Guess
from ._schema import Inputs as Inputs
from ._schema import Multirotor as Multirotor
from ._schema import Noise as Noise
from ._schema import Team as Team
