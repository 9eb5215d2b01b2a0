"""Everybody else on the same flights: libraries with the same filter, and the field's own methods."""

from ._flight import SCENARIOS as SCENARIOS
from ._flight import Flight as Flight
from ._flight import recorded as recorded
from ._scoreboard import PEERS as PEERS
from ._scoreboard import PeerRow as PeerRow
from ._scoreboard import compare_methods as compare_methods
from ._scoreboard import measure_peers as measure_peers
from ._scoreboard import peers_json as peers_json
