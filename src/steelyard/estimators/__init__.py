"""What infers, for any model? Frozen configurations whose beliefs are values that go in and come out."""

from steelyard import _jax as _jax

from ._belief import KalmanBelief as KalmanBelief
from ._chunks import replay_in_chunks as replay_in_chunks
from ._ekf import ExtendedKalman as ExtendedKalman
from ._estimate import Estimate as Estimate
from ._estimate import Knowledge as Knowledge
from ._estimator import Belief as Belief
from ._estimator import Estimator as Estimator
from ._estimator import Guess as Guess
from ._estimator import Innovation as Innovation
from ._estimator import Noise as Noise
from ._estimator import Sample as Sample
from ._late import LateBelief as LateBelief
from ._late import LateBuffer as LateBuffer
from ._packing import Packing as Packing
from ._rls import RecursiveLeastSquares as RecursiveLeastSquares
from ._run import Online as Online
from ._run import Replay as Replay
from ._run import campaign as campaign
from ._run import everything as everything
from ._run import replay as replay
from ._sequential import Shadows as Shadows
from ._status import Status as Status
from ._status import explain as explain
from ._status import flag as flag
from ._status import forwards as forwards
from ._update import followed as followed
from ._update import update_belief as update_belief
