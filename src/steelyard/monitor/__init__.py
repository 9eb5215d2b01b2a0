"""What changed, and can we believe it?"""

from steelyard import _jax as _jax

from ._changes import Change as Change
from ._changes import ChangeWatch as ChangeWatch
from ._changes import WatchfulBelief as WatchfulBelief
from ._changes import no_change as no_change
from ._noise import NoiseBelief as NoiseBelief
from ._noise import NoiseWatch as NoiseWatch
