"""Configuration: TOML read into typed values, every key with a default, every mistake named."""

from ._jets import JetEngine as JetEngine
from ._jets import Jets as Jets
from ._live import Away as Away
from ._live import CutLinks as CutLinks
from ._live import Faults as Faults
from ._live import Live as Live
from ._live import World as World
from ._live import WrongClock as WrongClock
from ._live import WrongMotion as WrongMotion
from ._read import from_tables as from_tables
from ._read import load as load
from ._read import parse as parse
from ._schema import Config as Config
from ._schema import Guess as Guess
from ._schema import Inputs as Inputs
from ._schema import Multirotor as Multirotor
from ._schema import Noise as Noise
from ._schema import Team as Team
from ._schema import Wrist as Wrist
