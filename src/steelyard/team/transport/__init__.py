"""How does a message get from one robot to another, and may it be used? Bus, Zenoh, envelope, gate, clock, keys."""

from ._bus import Bus as Bus
from ._bus import Disturbance as Disturbance
from ._bus import Partition as Partition
from ._clock import TeamClock as TeamClock
from ._envelope import LARGEST as LARGEST
from ._envelope import VERSION as VERSION
from ._envelope import Envelope as Envelope
from ._envelope import Timing as Timing
from ._envelope import close as close
from ._gate import REASONS as REASONS
from ._gate import Gate as Gate
from ._keys import key_files as key_files
from ._keys import make_keys as make_keys
from ._ledger import Account as Account
from ._ledger import Ledger as Ledger
from ._zenoh import ZenohBus as ZenohBus
from ._zenoh import declare_local_publisher as declare_local_publisher
from ._zenoh import key_of as key_of
from ._zenoh import open_session as open_session
from ._zenoh_config import Endpoints as Endpoints
from ._zenoh_config import KeyFiles as KeyFiles
from ._zenoh_config import local_settings as local_settings
from ._zenoh_config import team_settings as team_settings
