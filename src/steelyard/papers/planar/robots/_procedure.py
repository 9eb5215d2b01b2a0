"""The stages of the planar papers' procedure, its open settings, and a robot's state and messages."""

import enum

import msgspec
import numpy as np

from steelyard.errors import BadInput
from steelyard.estimators import Estimate
from steelyard.papers.planar.robots._link import Link, LinkGains
from steelyard.papers.planar.robots._low_pass import LineFit, RateFilter
from steelyard.papers.planar.robots._observer import CenterObserver, Constancy
from steelyard.team._agent import Message
from steelyard.team.consensus._flow import FlowMessage


class Stage(enum.IntEnum):
    """Where the team stands; everybody changes at the same sample, by a vote."""

    SPIN = 0
    """Forces that turn the load; distances [cdc14, Sec. IV], [icra15, Sec. IV]."""
    COAST = 1
    """No forces; z_ij, z_i, ω, and the mean of ‖z_i‖²."""
    TURN = 2
    """f_i = k_z z_i^⊥, with pauses; J [cdc14, Sec. V-A], [icra15, Sec. V-A]."""
    SLOW = 3
    """Damped to a spin at which the observer is quick; meanwhile the robots average J."""
    OBSERVE = 4
    """One common force, or arbitrary ones; z_c [cdc14, Sec. V-B], [icra15, Sec. V-B]."""
    WEIGH = 5
    """The same forces; velocity of the centre of mass, m [cdc14, Sec. V-C], [icra15, Sec. V-C]."""
    AGREE = 6
    """No forces; the robots average m."""
    DONE = 7
    HALT = 8
    """Somebody could not finish a stage: what is not known by now will not be."""


class Mode(enum.IntEnum):
    """Within TURN: spin up, damp when too fast, coast to know the spin well, and again."""

    COAST = 0
    TURN = 1
    BRAKE = 2


class Vote(enum.IntFlag):
    """What a robot puts to the vote; one robot's flag counts for all, which is a max-consensus."""

    NONE = 0
    HOLD = 1
    """I have not got what this stage is for."""
    FAST = 2
    SPINNING = 4
    """Not slow enough yet to stop damping."""
    GIVE_UP = 8
    FAULT = 16


class Channel(enum.IntEnum):
    """Places in the vector that flows along the links; a plane vector takes two."""

    Z = 0
    OMEGA = 2
    ARM = 3
    INERTIA = 4
    MASS = 5
    FORCE = 6
    TORQUE = 8
    """conj(z_i) Δf_i, whose imaginary part is the torque: it turns backwards as the load turns forwards."""


N_CHANNELS = 10


class Procedure(msgspec.Struct, frozen=True):
    """Settings of the procedure; the papers state hardly any, these are our choices. SI units."""

    n_robots: int
    rate: float
    link: LinkGains
    share: bool
    """Whether ω goes through dynamic consensus and J and m are averaged [icra15], or each trusts its own [cdc14]."""
    arbitrary: bool
    """Whether OBSERVE and WEIGH use every robot's own sinusoids, or one common constant force."""
    kick: float
    """N, random pushes until the load turns."""
    push: float
    """N along each link's ż_ij until `spin_speed` (m/s): no net force, and always forwards."""
    spin_speed: float
    spin_low: float
    """rad/s, to which TURN is damped; not to rest, where z_ij is lost and with it f_i = k_z z_i^⊥."""
    spin_high: float
    observer_spin: float
    damping: float
    """N s/m."""
    k_z: float
    k_f_inertia: float
    k_f_mass: float
    k_e: float
    f_bar: float
    """n f / J in OBSERVE and WEIGH, 1/(m s²)."""
    force_direction: tuple[float, float]
    centroid_gain: float
    settle: float
    """s, of the stages that only average."""
    pause: float
    """s of coasting before each turn of TURN."""
    distance_tolerance: float
    """Relative deviation at which a robot calls a distance known; likewise below."""
    inertia_tolerance: float
    center_tolerance: float
    """Drift of z_c in the body between windows of `center_window` s, relative to the reference link's length."""
    center_window: float
    mass_tolerance: float
    memory: float
    """Per sample, of the least squares for J and m, as in `LinkGains`."""
    stage_limit: float
    """s; a stage that takes longer ends the procedure."""
    min_samples: int = 50
    ballot_rounds: int = 16
    report_every: int = 10
    history: int = 16
    """Samples for which a robot stores its own velocity, until the neighbours' of the same time have come."""
    least_observability: float = 0.05
    """Of |ω| ‖f̄‖², rad/s (1/(m s²))²: below it, on average over a window, the centre of mass is not observed."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_robots < 2:
            raise BadInput("A robot alone cannot see from its velocity how the load turns; give it a neighbour.")
        if self.ballot_rounds < self.n_robots:
            raise BadInput(
                f"A vote of {self.ballot_rounds} rounds may not reach all {self.n_robots} robots; "
                "give ballot_rounds at least that number."
            )


class PaperMessage(Message, frozen=True, array_like=True):
    """What a robot sends to a neighbour each sample."""

    velocity: tuple[float, float] | None
    """m/s, world axes, of its contact at `time`; None where its sensor was silent."""
    flow: FlowMessage
    ballot: int
    votes: int
    stage: int


class PaperState(msgspec.Struct, frozen=True):
    """Everything a robot keeps between samples."""

    sequence: int = 0
    key: int = -1
    """Number of the last sample."""
    velocities: dict[int, complex] = {}
    heard: dict[str, int] = {}
    """By neighbour, the sample of its last message."""
    links: dict[str, Link] = {}
    flows: dict[str, np.ndarray] = {}
    own: np.ndarray | None = None
    values: np.ndarray | None = None
    omega: float | None = None
    """rad/s at the sample before `key`, as are z_i and z_c."""
    omega_before: float | None = None
    own_omegas: tuple[float, ...] = ()
    """rad/s, by its own links alone, the last three."""
    omega_variance: float = 0.0
    """Of one sample of these, from their second differences."""
    stage: Stage = Stage.SPIN
    since: float = 0.0
    """s, when the stage began."""
    mode: Mode = Mode.COAST
    mode_since: float = 0.0
    ballot: int = -1
    votes: int = 0
    halted_in: Stage | None = None
    fault: bool = False
    silent: int = 0
    """Samples in a row without a velocity of its own."""
    turn_sign: int = 1
    """Of k_z: that of ω as the turn began, so that the load is never stopped on the way to the other side."""
    turning: tuple[bool, bool] = (False, False)
    """Whether the turning force acted in the last interval and in the one before."""
    forces: tuple[complex, complex] = (0j, 0j)
    """N, over the last interval and the one before."""
    arm: tuple[float, int] = (0.0, 0)
    """Running sum and count of the mean of ‖z_i‖²."""
    coast: tuple[float, int] = (0.0, 0)
    inertia_filter: RateFilter | None = None
    inertia_fit: LineFit = LineFit()
    inertia: float | None = None
    observer: CenterObserver | None = None
    center: Constancy = Constancy()
    center_ratio: complex | None = None
    """z_c / z_ij of the reference link: constant in the body."""
    mass_filter: RateFilter | None = None
    mass_fit: LineFit = LineFit()
    mass: float | None = None
    velocity_c: complex | None = None
    estimates: dict[str, Estimate] = {}
