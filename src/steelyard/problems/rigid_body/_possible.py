"""The nearest load that can exist: a pseudo-inertia that is positive definite, in the metric of the information."""

import numpy as np

from steelyard.problems.rigid_body._least_squares import least_squares
from steelyard.problems.rigid_body._tuning import NUMERICS


def pseudo_inertia(load: np.ndarray) -> np.ndarray:
    """(4, 4) from m, m c, and moments about the origin: its upper block is the second moment of mass."""
    m, first, (xx, yy, zz, xy, xz, yz) = load[0], load[1:4], load[4:]
    moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    second = 0.5 * np.trace(moments) * np.eye(3) - moments
    return np.block([[second, first[:, None]], [first[None], np.array([[m]])]])


def load_of(pseudo: np.ndarray) -> np.ndarray:
    """The ten parameters of a pseudo-inertia."""
    second = pseudo[:3, :3]
    moments = np.trace(second) * np.eye(3) - second
    return np.concatenate(
        [[pseudo[3, 3]], pseudo[:3, 3], np.diag(moments), [moments[0, 1], moments[0, 2], moments[1, 2]]]
    )


def is_possible(load: np.ndarray) -> bool:
    """Whether some distribution of positive mass has these parameters."""
    sizes = np.linalg.eigvalsh(pseudo_inertia(load))
    return bool(
        np.isfinite(load).all()
        and sizes[0] > 0.5 * NUMERICS.least_eigenvalue * max(float(sizes.sum()), 1e-12)
        and load[0] > 0
    )


def _with_possible_moments(load: np.ndarray) -> np.ndarray:
    """The same mass and centre of mass, with the nearest moments that can exist."""
    m = max(float(load[0]), 1e-3)
    c = load[1:4] / m
    pseudo = pseudo_inertia(load)
    sizes, axes = np.linalg.eigh(pseudo[:3, :3] - m * np.outer(c, c))
    floor = 4.0 * NUMERICS.least_eigenvalue * (m * (1.0 + float(c @ c)) + float(np.abs(sizes).sum()))
    pseudo[:3, :3] = (axes * np.maximum(sizes, floor)) @ axes.T + m * np.outer(c, c)
    pseudo[3, 3] = m
    return load_of(pseudo)


def nearest_possible(load: np.ndarray, information: np.ndarray) -> np.ndarray:
    """The possible load x with the smallest (x - load)' information (x - load).

    The pseudo-inertia P is linear in x, so this is convex: Newton's steps on the distance less mu log det P, for mu
    that falls until it is of no account (a barrier method; Dykstra's projections would need the plain metric, and a
    descent in a factor of P was seen to stop hundreds of deviations away).
    """
    if is_possible(load):
        return load
    x = _with_possible_moments(load)
    scale = 1.0 / np.sqrt(np.maximum(np.diag(information), 1e-300))
    metric = scale[:, None] * 0.5 * (information + information.T) * scale
    parts = np.stack([pseudo_inertia(unit) for unit in np.diag(scale)])
    target, x, floor = (
        load / scale,
        x / scale,
        NUMERICS.least_eigenvalue * float(np.trace(pseudo_inertia(x))) * np.diag([1.0, 1.0, 1.0, 0.0]),
    )

    def cost(x: np.ndarray, mu: float) -> float:
        sign, size = np.linalg.slogdet(np.tensordot(x, parts, 1) - floor)
        inside = sign > 0 and np.linalg.eigvalsh(np.tensordot(x, parts, 1) - floor)[0] > 0
        return float((x - target) @ metric @ (x - target)) - mu * size if inside else float("inf")

    mu = max(float((x - target) @ metric @ (x - target)), NUMERICS.least_barrier)
    while mu > NUMERICS.least_barrier:
        mu *= 0.2
        for _ in range(20):
            inverse = np.linalg.inv(np.tensordot(x, parts, 1) - floor)
            spread = inverse @ parts
            gradient = 2.0 * metric @ (x - target) - mu * np.trace(spread, axis1=1, axis2=2)
            hessian = 2.0 * metric + mu * np.einsum("aij,bji->ab", spread, spread)
            step = -least_squares(hessian, gradient, 1e-14)
            now, share = cost(x, mu), 1.0
            while cost(x + share * step, mu) > now and share > 1e-9:
                share *= 0.5
            if share <= 1e-9 or -float(gradient @ step) < 0.1 * mu:
                break
            x = x + share * step
    return x * scale
