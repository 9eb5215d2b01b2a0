"""The numbers that tune how a rigid load is identified from one robot's log."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class RigidBodyTuning:
    """Of the fit, of the search for sudden changes, and of answering."""

    rounds: int = 12
    """Gauss-Newton steps at most."""
    near: float = 0.3
    """Standard deviations: a shorter step ends the least squares, and a longer one renews the instruments."""
    converged: float = 0.01
    """Standard deviations: a shorter step ends the fit."""
    change_threshold: float = 30.0
    """Log-likelihood ratio from which on the load changed: ten parameters reach it by chance once in 10^8 tries."""
    shortest_piece: float = 1.5
    """s: a shorter piece does not identify a load."""
    change_search: float = 1.5
    """s on either side of a change in which its time is looked for."""
    change_margin: int = 2
    """Rows left out beside a change: its time is known to about a row."""
    most_changes: int = 8
    """Depth of the recursive search for changes."""
    known_mass_below: float = 0.1
    """Relative standard deviation below which a mass is known."""
    known_com_below: float = 0.05
    """Standard deviation, m, along the worst axis, below which a centre of mass is known."""
    known_inertia_below: float = 0.05
    """Largest standard deviation of an entry over the mean moment, below which an inertia is known."""
    identifiable_within: float = 3.0
    """s, after which a quantity that is still unknown is not identifiable from this motion."""
    failed_above: float = 16.0
    """Mean normalised innovation squared above which the fit explains nothing, and its numbers are withheld."""
    refinement_gain: float = 0.5
    """Times the mean square of the innovations, below which the refined load is taken instead of the fitted one."""


TUNING = RigidBodyTuning()
