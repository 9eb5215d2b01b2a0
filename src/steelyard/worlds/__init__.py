"""What is true? Scenarios that make logs, truth included."""

from steelyard import _jax as _jax

from ._multirotor import MultirotorFlight as MultirotorFlight
from ._multirotor import check_flight as check_flight
from ._multirotor import fly as fly
from ._multirotor import simulate as simulate
from ._profiles import PROFILES as PROFILES
from ._profiles import ProfileName as ProfileName
from ._profiles import change_times as change_times
from ._profiles import mass_at as mass_at
