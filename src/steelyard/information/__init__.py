"""What can be known from this motion? Fisher information, Cramér-Rao bound, verdict, excitation.

Covariances and standard deviations are in the order of the state's tangent coordinates, as `geometry.tangent_names`
lists them, each in its own unit.
"""

from steelyard import _jax as _jax

from ._excitation import Plan as Plan
from ._excitation import excite as excite
from ._explanations import Direction as Direction
from ._explanations import describe as describe
from ._explanations import enumerated as enumerated
from ._explanations import explain as explain
from ._explanations import remarks as remarks
from ._fisher import Bound as Bound
from ._fisher import Motion as Motion
from ._fisher import cramer_rao as cramer_rao
from ._fisher import information as information
from ._fisher import split_information as split_information
from ._verdict import Verdict as Verdict
from ._verdict import verdict as verdict
