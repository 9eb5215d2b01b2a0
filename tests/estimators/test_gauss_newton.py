"""Damped Gauss-Newton: exact on linear problems, never uphill, and it gives up where nothing helps."""

import dataclasses

import numpy as np

from steelyard.estimators import Damping, damped_step, gauss_newton


@dataclasses.dataclass(frozen=True, eq=False)
class Linearised:
    x: np.ndarray
    cost: float
    matrix: np.ndarray
    right: np.ndarray


def linearised(residual, jacobian, x) -> Linearised:
    r, J = residual(x), jacobian(x)
    return Linearised(x, float(r @ r), J.T @ J, -J.T @ r)


def search(residual, jacobian, start, damping, **limits) -> tuple[Linearised, list[float]]:
    """The end, and the costs of all points that were tried."""
    costs = []

    def attempt(now, size):
        trial = linearised(residual, jacobian, now.x + damped_step(now.matrix, now.right, size))
        costs.append(trial.cost)
        return trial

    first = linearised(residual, jacobian, np.asarray(start, float))
    end = gauss_newton(first, attempt, lambda a, b: a.cost - b.cost < 1e-14 * (1.0 + a.cost), damping, **limits)
    return end, costs


def test_an_undamped_step_solves_linear_least_squares():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(20, 4)), rng.normal(size=20)
    end, _ = search(lambda x: A @ x - b, lambda x: A, np.zeros(4), Damping(0.0), trials=1)
    np.testing.assert_allclose(end.x, np.linalg.lstsq(A, b, rcond=None)[0], atol=1e-12)  # rounding of a 4 x 4 solve


def rosenbrock(x):
    return np.array([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]])


def rosenbrock_jacobian(x):
    return np.array([[-20.0 * x[0], 10.0], [-1.0, 0.0]])


def test_a_bent_valley_is_followed_to_its_end():
    end, _ = search(rosenbrock, rosenbrock_jacobian, [-1.2, 1.0], Damping(1e-3), trials=200)
    np.testing.assert_allclose(end.x, [1.0, 1.0], atol=1e-6)  # the cost is settled to 1e-14, the square of 1e-7


def test_no_accepted_step_goes_uphill():
    for trials in range(20):
        before, _ = search(rosenbrock, rosenbrock_jacobian, [-1.2, 1.0], Damping(0.0, restart=1e-3), trials=trials)
        after, _ = search(rosenbrock, rosenbrock_jacobian, [-1.2, 1.0], Damping(0.0, restart=1e-3), trials=trials + 1)
        assert after.cost <= before.cost


def test_the_search_ends_at_the_largest_damping_where_every_step_is_rejected():
    """The Jacobian's sign is wrong, so that every step goes uphill: damping 1, 10, 100 and no more."""
    end, costs = search(lambda x: x, lambda x: -np.eye(1), [1.0], Damping(1.0, most=100.0))
    assert len(costs) == 3
    np.testing.assert_array_equal(end.x, [1.0])


def test_an_unknown_without_information_stays():
    np.testing.assert_array_equal(damped_step(np.diag([4.0, 0.0]), np.array([2.0, 0.0]), 1e-6)[1], 0.0)
