"""Simulated logs as other people would have written them, and what `look` and `identify` make of them."""

from ._disguise import DISGUISES as DISGUISES
from ._disguise import FLIGHT as FLIGHT
from ._disguise import HOLD as HOLD
from ._disguise import disguises_of as disguises_of
from ._disguise import flight as flight
from ._disguise import hold as hold
from ._disguise import signal as signal
from ._trial import DisguiseRow as DisguiseRow
from ._trial import DisguiseRun as DisguiseRun
from ._trial import run_disguises as run_disguises
from ._trial import table_of as table_of
