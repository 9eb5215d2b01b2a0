"""`identify --as rigid-body`: mass, centre of mass and inertia of a load that one robot alone holds.

Read in this order: `_reading` (columns to channels), `_start` (first motion and load), `_method` (the joint fit: which
knots, at which speed; `_problem` is what is fitted, `_gauss_newton` how; their parts are `_splines`, `_trajectory`,
`_unknowns`, `_residuals`, `_normal_equations`, `_noise`, `_checks`), `_contacts` and `_events` (changes), `_quantities`
and `_possible` (numbers that can exist), `_verdict`, `_answer`; `_online` and `_stream` for samples one by one. The
method `recursive`: `_modulating`, `_windows`, `_recursive` (the step), `_recursive_answer`, `_recursive_stream`,
`_step`.
"""

from ._answer import identify_rigid_body as identify_rigid_body
from ._contacts import Contact as Contact
from ._events import Piece as Piece
from ._events import pieces_of as pieces_of
from ._method import Fit as Fit
from ._method import fit_record as fit_record
from ._quantities import Load as Load
from ._quantities import load_of_fit as load_of_fit
from ._reading import WristRecord as WristRecord
from ._reading import read_wrist_record as read_wrist_record
from ._residuals import Channel as Channel
from ._verdict import named_direction as named_direction
