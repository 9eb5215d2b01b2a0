"""What can be known from this motion? Fisher information, Cramér-Rao bound, verdict, excitation."""

from steelyard import _jax as _jax

from ._excitation import Plan as Plan
from ._excitation import excite as excite
from ._excitation import samples_of_plan as samples_of_plan
from ._fisher import Bound as Bound
from ._fisher import Learnt as Learnt
from ._fisher import Motion as Motion
from ._fisher import bound_of as bound_of
from ._fisher import cramer_rao as cramer_rao
from ._fisher import information as information
from ._fisher import learn as learn
from ._fisher import split as split
from ._verdict import Verdict as Verdict
from ._verdict import identifiable as identifiable
from ._verdict import verdict as verdict
from ._words import Direction as Direction
from ._words import describe as describe
from ._words import explain as explain
from ._words import remarks as remarks
