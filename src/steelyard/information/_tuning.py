"""The numbers that tune the verdict on a motion, and the search for a better one."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class VerdictTuning:
    """Of `verdict`."""

    known_below: float = 0.3
    """Standard deviation up to which a coordinate is known, in its own unit: 30 % of what is a logarithm."""
    attainable_factor: float = 10.0
    """Times `known_below`. A motion a hundred times as long narrows a standard deviation by this factor; a coordinate
    that needs more is not identifiable from this motion."""
    named_share: float = 0.05
    """Share of a direction's largest coordinate below which another one is not named."""
    no_information: float = 1e6
    """Length that stands for an infinite error along a direction without any information, in the coordinates' units."""


@dataclasses.dataclass(frozen=True)
class ExcitationTuning:
    """Of `excite`: gradient ascent (Adam) on the amplitudes of sinusoids."""

    prior_information: float = 1e-6
    """Information that every coordinate has during the search, so that one without any still has a gradient."""
    planning_rows: int = 100
    """Rows at most on which the search runs; each stands for several of the plan, with its noise averaged."""
    first_amplitude: float = 0.1
    """Standard deviation of the first amplitudes, of the tanh's argument: far from the limits."""
    limit_share: float = 0.98
    """Share of the limits at which the starting inputs are placed, so that the arctanh stays finite."""
    rate: float = 0.1
    """Step of Adam."""
    first_moment: float = 0.9
    """Adam's decay of the mean gradient a step."""
    second_moment: float = 0.99
    """Adam's decay of the mean squared gradient a step; below the usual 0.999 because 50 steps must suffice."""


@dataclasses.dataclass(frozen=True)
class InformationTuning:
    """Of Fisher information; rounding leaves about 1e-14 of an eigenvalue."""

    no_eigenvalue: float = 1e-11
    """Eigenvalue of the scaled information below which a direction has none."""
    none: float = 1e-12
    """Information that counts as none, in a coordinate's own units: a standard deviation of a million."""


VERDICT = VerdictTuning()
EXCITATION = ExcitationTuning()
INFORMATION = InformationTuning()
