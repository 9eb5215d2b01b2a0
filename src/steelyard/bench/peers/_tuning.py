"""What the peers on the scoreboard are told, and how they are tuned."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class PeerTuning:
    """The same for all of them, so that differences are those of the methods."""

    guess: float = 1.2
    """Of the mass, kg; the true ones are from 0.9 to 1.5."""
    guess_std: float = 0.3
    """Standard deviation of that guess, kg."""
    airborne: float = 0.5
    """Share of the median thrust above which a recorded drone counts as flying."""
    acceleration_std: float = 0.25
    """Of the acceleration that thrust and attitude explain, m/s² a row: 2 % of the thrust and 0.01 rad of its
    direction."""
    velocity_std: float = 0.03
    """m/s, as simulated."""
    kaczmarz_rows: int = 20
    """Samples in the window of TAG-K: 0.2 s, as long as the window of the derivative."""
    savgol_rows: int = 21
    """Rows of Savitzky and Golay's polynomial: 0.2 s, shorter than any manoeuvre here."""
    savgol_order: int = 2
    """Degree of Savitzky and Golay's polynomial for a drone's velocity."""
    wrist_order: int = 3
    """The same for motions of a wrist, whose rates of rotation turn faster."""
    lively: float = 5.0
    """Angular acceleration of a wrist, rad/s² RMS, above which half of that window follows the motion better."""
    forgotten: float = 30.0
    """s, over which recursive least squares at a wrist forgets: longer than any simulated log of a constant load."""
    mujoco_guess: tuple[float, ...] = (1.0, 0.01, 0.01, 0.05, 0.02, 0.0, 0.0, 0.0, 0.02, 0.0, 0.0, 0.0, 0.02)
    """For `mujoco.sysid`, SI: mass, first moment, inertia about the origin as nine numbers: of a tool of 1 kg."""
    mujoco_range: tuple[float, ...] = (2.5, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 3.0, 3.0, 3.0)
    """To either side of that guess, in its library's coordinates: masses of 7 g to 150 kg."""
    mujoco_flattest: float = 1e-9
    """Smallest second moment of a load over its largest that MuJoCo is given: less is rounding."""


PEERS = PeerTuning()
