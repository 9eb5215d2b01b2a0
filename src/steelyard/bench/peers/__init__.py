"""Everybody's methods on the same data: a drone's mass, a load at a wrist."""

from ._drone import MASS_METHODS as MASS_METHODS
from ._drone import compare_on_flights as compare_on_flights
from ._drone import drone_methods as drone_methods
from ._flight import SCENARIOS as SCENARIOS
from ._flight import Flight as Flight
from ._flight import recorded as recorded
from ._scoreboard import PeerRow as PeerRow
from ._scoreboard import compare as compare
from ._scoreboard import peers_json as peers_json
from ._wrist import WristMotion as WristMotion
from ._wrist import recorded_wrist as recorded_wrist
from ._wrist import wave as wave
from ._wrist_methods import WRIST_METHODS as WRIST_METHODS
