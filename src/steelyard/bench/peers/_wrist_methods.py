"""Ways to a load at a wrist: ours, and the field's own methods, written from their descriptions."""

import numpy as np

from steelyard.bench.peers._scoreboard import Answer, PeerMethod, Stated
from steelyard.bench.peers._tuning import PEERS
from steelyard.bench.peers._wrist import WristMotion
from steelyard.geometry import MOMENT_ENTRIES
from steelyard.problems import identify


def by_identify(motion: WristMotion) -> Answer:
    """`steelyard identify --as rigid-body`."""
    return _identified(motion, None)


def by_recursive(motion: WristMotion) -> Answer:
    """The same with `--method recursive`, one step a sample."""
    return _identified(motion, "recursive") if motion.config.wrist.calibrated else {}


def _identified(motion: WristMotion, method: str | None) -> Answer:
    found = identify(motion.log, "rigid-body", motion.config, method)[motion.log.robots[0]]
    stated: dict[str, Stated] = {}
    for quantity in motion.truth:
        estimate = found[quantity]
        if estimate.value is not None and estimate.std is not None:
            stated[quantity] = Stated(_flat(estimate.value), _flat(estimate.std))
    return stated


def _flat(value: object) -> np.ndarray:
    value = np.asarray(value, float)
    return np.array([value[pair] for pair in MOMENT_ENTRIES]) if value.ndim == 2 else np.atleast_1d(value)


def _equations(motion: WristMotion) -> tuple[np.ndarray, np.ndarray]:
    """All rows, scaled to unit noise; offsets are further unknowns unless the sensor was tared."""
    Y = motion.regressors() / motion.noise[:, None]
    if not motion.tared:
        offsets = np.broadcast_to(np.diag(1.0 / motion.noise), (len(Y), 6, 6))
        Y = np.concatenate([Y, offsets], axis=2)
    return Y, motion.wrench / motion.noise


def load_answer(phi: np.ndarray, covariance: np.ndarray | None) -> Answer:
    """Mass, centre and inertia about it of the ten parameters (m, m c, moments about the origin), to first order."""

    def of(p: np.ndarray) -> np.ndarray:
        c = p[1:4] / p[0]
        about = p[4:10] - p[0] * np.array([c @ c * (i == j) - c[i] * c[j] for i, j in MOMENT_ENTRIES])
        return np.concatenate([[p[0]], c, about])

    value = of(phi)
    std = None
    if covariance is not None:
        steps = 1e-6 * np.maximum(np.abs(phi[:10]), 1e-6)
        J = np.stack([(of(phi[:10] + d) - of(phi[:10] - d)) / (2 * d.max()) for d in np.diag(steps)], axis=1)
        std = np.sqrt(np.clip(np.diag(J @ covariance[:10, :10] @ J.T), 0.0, None))
    parts = {"mass": slice(0, 1), "com": slice(1, 4), "inertia": slice(4, 10)}
    return {q: Stated(value[at], None if std is None else std[at]) for q, at in parts.items()}


def by_least_squares(motion: WristMotion) -> Answer:
    """Weighted least squares on derivatives by Savitzky and Golay, intervals by white residuals."""
    Y, w = _equations(motion)
    A, b = Y.reshape(-1, Y.shape[2]), w.ravel()
    normal = A.T @ A
    phi = np.linalg.solve(normal, A.T @ b)
    residual = b - A @ phi
    return load_answer(phi, np.linalg.inv(normal) * float(residual @ residual) / (len(b) - len(phi)))


def by_recursive_least_squares(motion: WristMotion) -> Answer:
    """The same equations row by row, with forgetting."""
    Y, w = _equations(motion)
    keep, unknowns = float(np.exp(-motion.dt / PEERS.forgotten)), Y.shape[2]
    phi, P = np.zeros(unknowns), 1e4 * np.eye(unknowns)
    phi[0] = 1.0
    for rows, response in zip(Y, w, strict=True):
        S = keep * np.eye(6) + rows @ P @ rows.T
        gain = np.linalg.solve(S, rows @ P).T
        phi = phi + gain @ (response - rows @ phi)
        P = (P - gain @ rows @ P) / keep
        P = 0.5 * (P + P.T)
    return load_answer(phi, P)


def by_tail_averaged_kaczmarz(motion: WristMotion) -> Answer:
    """TAG-K (Sha and others, ICRA 2026): greedy randomised projections on a window's equations, tail averaged.

    Unknowns are scaled to columns of unit size, as its authors advise for inertias beside masses. No uncertainty.
    """
    Y, w = _equations(motion)
    scale = 1.0 / np.maximum(np.sqrt(np.mean(np.square(Y), axis=(0, 1))), 1e-12)
    random, x = np.random.default_rng(0), np.zeros(Y.shape[2])
    for end in range(PEERS.kaczmarz_rows, len(Y) + 1, PEERS.kaczmarz_rows // 4):
        A = (Y[end - PEERS.kaczmarz_rows : end] * scale).reshape(-1, len(x))
        b = w[end - PEERS.kaczmarz_rows : end].ravel()
        norm, iterates = np.maximum(np.sum(A * A, axis=1), 1e-300), [x]
        for _ in range(3 * len(x)):
            squared = (b - A @ iterates[-1]) ** 2
            total = float(squared.sum())
            if total == 0.0:
                break
            drawn = squared * (squared / norm >= 0.5 * (np.max(squared / norm) + total / norm.sum()))
            k = int(random.choice(len(b), p=drawn / drawn.sum()))
            iterates.append(iterates[-1] + A[k] * (b[k] - A[k] @ iterates[-1]) / norm[k])
        x = np.mean(iterates[len(iterates) // 2 :], axis=0)
    return load_answer(x * scale, None)


def _by_mujoco(motion: WristMotion) -> Answer:
    from steelyard.bench.peers._mujoco_wrist import by_mujoco_sysid

    return by_mujoco_sysid(motion)


WRIST_METHODS: dict[str, PeerMethod] = {
    "steelyard, identify": by_identify,
    "steelyard, recursive": by_recursive,
    "least squares, Savitzky-Golay": by_least_squares,
    "recursive least squares": by_recursive_least_squares,
    "mujoco.sysid, inverse dynamics": _by_mujoco,
    "TAG-K (Kaczmarz)": by_tail_averaged_kaczmarz,
}
