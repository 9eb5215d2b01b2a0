"""What infers, for any model? Frozen configurations whose beliefs are values that go in and come out."""

from steelyard import _jax as _jax

from ._ekf import ExtendedKalman as ExtendedKalman
from ._ekf import KalmanBelief as KalmanBelief
from ._estimate import Estimate as Estimate
from ._estimate import Knowledge as Knowledge
from ._estimator import Belief as Belief
from ._estimator import Estimator as Estimator
from ._estimator import Guess as Guess
from ._estimator import Innovation as Innovation
from ._estimator import Noise as Noise
from ._estimator import Sample as Sample
from ._sequential import Shadows as Shadows
from ._status import Status as Status
from ._status import explain as explain
