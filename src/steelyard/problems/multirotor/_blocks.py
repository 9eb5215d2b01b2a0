"""A flight as blocks of rows, and the columns of velocities in which its equation of motion is linear."""

import numpy as np

from steelyard.problems.multirotor._coloured import Blocks
from steelyard.problems.multirotor._motion import Motion
from steelyard.problems.multirotor._tuning import TUNING

Piece = tuple[str, float]
"""`level`, `step` or `slope` of the mass, and the time from which on it counts, s."""
FORCES = ("drag", "drag/quadratic", "tilt/x", "tilt/y", "wind/x", "wind/y")
"""Unknowns beside the mass."""
GROUND = "ground_effect"
"""Share of the thrust that the ground adds at the lowest place; where the flight took off or landed."""
WIND = "thrust_loss/wind"
LOSSES = ("thrust_loss", "thrust_loss/axial", WIND)
"""Shares of the thrust lost per m/s of speed; per m/s along the thrust axis (air through the rotors); and per m/s² of a
wind's push along the lean into it, which is air through the rotors, too: each joins where the flight shows it."""
WANDER = "wander/"
"""Then a number: eigenfunctions of a slow wander of the thrust's scale, a share of the thrust; see `_drift`."""


def blocks_of(motion: Motion) -> Blocks:
    """Means over `motion.size` rows."""
    time, starts = motion.time, motion.starts
    heard = np.add.reduceat(motion.seen.astype(float), starts)
    middle = _mean(motion, time)
    between = np.concatenate([middle[:1], 0.5 * (middle[1:] + middle[:-1])])
    R = motion.R[np.clip(np.searchsorted(time, between), 0, len(time) - 1)]
    fresh = np.add.reduceat(motion.fresh.astype(int), starts) > 0
    fresh[0] = True
    return Blocks(middle, np.diff(middle, prepend=middle[0]), R, fresh, heard / motion.size)


def integrals(motion: Motion, accelerations: np.ndarray) -> np.ndarray:
    """Velocities (blocks, 3) that accelerations (rows, 3) make from the first row on, as means over blocks.

    Between samples an acceleration is a cubic (`Motion.gain_weights`), or held.
    """
    gained = np.zeros_like(accelerations)
    if motion.held:
        gained[1:] = accelerations[:-1] * np.diff(motion.time)[:, None]
    else:
        before, begin, end, after = motion.gain_weights
        gained[1:] = begin * accelerations[:-1] + end * accelerations[1:]
        gained[2:] += before * accelerations[:-2]
        gained[1:-1] += after * accelerations[2:]
    return _mean(motion, np.cumsum(gained, axis=0, out=gained))


def measured(motion: Motion) -> np.ndarray:
    """Mean velocity of each block, (blocks, 3); 0 where nothing was heard."""
    return _mean(motion, np.nan_to_num(motion.velocity))


def piece_shape(motion: Motion, piece: Piece) -> np.ndarray:
    """(rows,), what a unit of a piece adds to the mass: a step counts in part in the row in which it happens."""
    kind, begin = piece
    if kind == "level":
        return np.ones_like(motion.time)
    if kind == "slope":
        return np.maximum(motion.time - begin, 0.0)
    start, end = motion.row_spans
    return np.clip((end - begin) / (end - start), 0.0, 1.0)


def mass_column(motion: Motion, mass: np.ndarray, piece: Piece) -> np.ndarray:
    """How the velocity changes with one kilogram, or kilogram a second, of this piece, at the mass of each row."""
    return _by_mass(motion, mass, piece_shape(motion, piece))


def moment_column(motion: Motion, mass: np.ndarray, piece: Piece) -> np.ndarray:
    """How the velocity changes with the moment of this change, a second later and a unit of its size."""
    kind, begin = piece
    if kind == "slope":
        return -mass_column(motion, mass, ("step", begin))
    start, end = motion.row_spans
    here = (start <= begin) & (begin < end)
    return _by_mass(motion, mass, np.where(here, -1.0 / (end - start), 0.0))


def _by_mass(motion: Motion, mass: np.ndarray, shape: np.ndarray) -> np.ndarray:
    return integrals(motion, -motion.R[:, :, 2] * (motion.thrust / mass**2 * shape)[:, None])


def force_column(motion: Motion, mass: np.ndarray, name: str) -> np.ndarray:
    """How the velocity changes with a unit of one of the other unknowns."""
    before = motion._columns.get(name)
    if before is None or not np.array_equal(before[0], mass):
        motion._columns[name] = before = mass, _force_column(motion, mass, name)
    return before[1]


def _force_column(motion: Motion, mass: np.ndarray, name: str) -> np.ndarray:
    R, by_mass, v_body = motion.R, (1.0 / mass)[:, None], motion.bridged_body
    if name == "drag":
        force = np.einsum("nij,nj->ni", R, -v_body * [1.0, 1.0, 0.0])
    elif name == "drag/quadratic":
        force = np.einsum("nij,nj->ni", R, -v_body * np.abs(v_body))
    elif name.startswith("tilt/"):
        force = R[:, :, "xy".index(name[-1])] * motion.thrust[:, None]
    elif name.startswith("wind/"):
        push = np.eye(3)["xy".index(name[-1])]  # air drags a rotor in its own plane
        return integrals(motion, push - R[:, :, 2] * (R[:, :, 2] @ push)[:, None])
    elif name.startswith(WANDER):
        force = R[:, :, 2] * (motion.thrust * motion.wander[:, int(name.removeprefix(WANDER))])[:, None]
    elif name == GROUND:
        assert motion.height is not None
        share = (TUNING.ground_clearance / (motion.height + TUNING.ground_clearance)) ** 2
        force = R[:, :, 2] * (motion.thrust * share)[:, None]
    else:
        force = -R[:, :, 2] * (motion.thrust * _goes_with(motion, name))[:, None]
    return integrals(motion, force * by_mass)


def _goes_with(motion: Motion, loss: str) -> np.ndarray:
    """(rows,), what a loss of thrust is proportional to.

    A wind w pushes with w d/m where drag is d, and blows along the thrust axis z with z·w: through rotors that lean
    into it. What the mean wind takes from level rotors cannot be told from the mass, and is not counted. A push that is
    no wind may be a swinging load's: what it pulls along the thrust goes with push times lean, and is zero on average.
    """
    if loss == "thrust_loss/axial":
        return motion.bridged_body[:, 2]
    if loss == WIND:
        if motion.push is None:
            return np.zeros_like(motion.time)
        into = -np.sum(motion.push * motion.R[:, :2, 2], axis=1)
        return into if motion.windy else into - np.mean(into)
    speed = np.linalg.norm(motion.bridged, axis=1)
    if motion.wind is None:
        return speed
    airspeed = np.linalg.norm(motion.bridged - motion.wind, axis=1)
    return airspeed - np.mean(airspeed - speed)


def wander_names(motion: Motion) -> tuple[str, ...]:
    """Of the unknowns of a wander of the thrust."""
    return tuple(f"{WANDER}{k}" for k in range(motion.wander.shape[1]))


def usual_size(motion: Motion, loss: str) -> float:
    """Root mean square of what a loss of thrust goes with; 0.1 m/s, or 0.03 m/s² of wind, at least."""
    size = float(np.sqrt(np.mean(_goes_with(motion, loss) ** 2)))
    return max(size, 0.03 if loss == WIND else 0.1)


def left_over(motion: Motion, mass: np.ndarray) -> np.ndarray:
    """Measured velocity less what thrust over this mass and gravity make of it."""
    return measured(motion) - integrals(motion, motion.R[:, :, 2] * (motion.thrust / mass)[:, None] + motion.gravity)


def _mean(motion: Motion, values: np.ndarray) -> np.ndarray:
    """Over the rows of a block whose velocity is known; over all rows where none is."""
    weight = motion.weight.reshape((-1,) + (1,) * (values.ndim - 1))
    return np.add.reduceat(weight * values, motion.starts, axis=0)
