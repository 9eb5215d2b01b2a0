"""The pieces of the planar papers, each against the mechanics it rests on, in both directions of turning."""

import cmath
import math

import numpy as np
import pytest

from steelyard.papers.planar.robots import (
    CenterObserver,
    LineFit,
    Link,
    LinkGains,
    RateFilter,
    link_step,
    observability,
    observer_step,
)

DT = 0.01


@pytest.mark.parametrize("omega", [1.3, -1.3, 4.0, -0.4])
def test_a_link_finds_distance_sign_vector_and_spin(omega):
    """The minus that the papers lack: with it, spin and vector are right for both directions of turning."""
    gains = LinkGains(k_f=5.0, min_speed=0.1, fit_speed=0.1, wait=0.2, memory=1.0)
    z = lambda k: (0.9 + 1.4j) * cmath.exp(1j * omega * k * DT)  # noqa: E731
    link = Link()
    for k in range(200):
        link = link_step(link, 1j * omega * z(k), k, DT, gains, True)
    distance = math.sqrt(link.fit.gradient)
    # The trapezoidal rule stands for the derivative of a circle to (ω dt)² / 12.
    assert distance == pytest.approx(abs(z(0)), rel=max((omega * DT) ** 2, 1e-12) / 6.0)
    assert link.sign == math.copysign(1, omega)
    link = Link(distance=distance, key=199, zdot=link.zdot, zdot_low=link.zdot_low, direction=link.direction, age=2.0)
    link = link_step(link, 1j * omega * z(200), 200, DT, gains, False)
    assert link.z == pytest.approx(z(200), rel=1e-3)
    assert link.omega == pytest.approx(omega, rel=1e-3)


def test_a_link_through_standstill_keeps_its_vector():
    """The spin changes sign; below the least speed the vector is carried along, and the sign is found anew."""
    gains = LinkGains(k_f=5.0, min_speed=0.1, fit_speed=0.1, wait=0.2, memory=1.0)
    link, angle, z_0 = Link(distance=2.0), 0.0, 2.0 + 0j
    for k in range(600):
        omega = 1.5 * math.cos(0.01 * k)
        z = z_0 * cmath.exp(1j * angle)
        link = link_step(link, 1j * omega * z, k, DT, gains, False)
        if k > 30:
            assert link.omega == pytest.approx(omega, abs=1e-3)
            assert abs(link.z - z) < 1e-2  # one Euler step of the spin, 1.5 dt²/2 a sample, for as long as it is slow
        angle += DT * (omega + 1.5 * math.cos(0.01 * (k + 1))) / 2.0


def test_a_slope_through_filters_holds_from_the_first_sample_on():
    """Started with y^f = y and u^f = 0 there is no transient to wait for, whatever the output's start."""
    gradient, y, filters = 0.37, 5.0 - 2.0j, RateFilter.start(5.0 - 2.0j)
    rng = np.random.default_rng(1)
    for _ in range(50):
        u = complex(*rng.normal(size=2))
        y += gradient * u * DT
        filters = filters.step(y, u, 3.0, DT)
        assert filters.rate(3.0) == pytest.approx(gradient * filters.input_low, rel=1e-9)


def fitted(rng, inputs, gradient, std):
    fit = LineFit()
    for u in inputs:
        fit = fit.add(float(u), float(gradient * u + std * rng.normal()))
    return fit


def test_the_stated_deviation_of_a_slope_is_its_deviation():
    """[icra15, Eq. (32)] without the intercept that the fit lacks. 400 fits: a chi-square within 4 deviations."""
    rng = np.random.default_rng(7)
    inputs = 2.0 + rng.normal(size=40)
    fits = [fitted(rng, inputs, 1.7, 0.3) for _ in range(400)]
    scores = np.array([(fit.gradient - 1.7) / fit.gradient_std for fit in fits])
    # A fit of 40 scatters as t with 39 degrees of freedom, variance 39/37.
    assert abs(np.mean(scores**2) - 39.0 / 37.0) < 4.0 * math.sqrt(2.2 / 400)
    printed = np.mean([fit.gradient_std_printed / fit.gradient_std for fit in fits])
    exact = math.sqrt(np.sum(inputs**2) / np.sum((inputs - inputs.mean()) ** 2))
    assert printed == pytest.approx(exact, rel=1e-9)
    assert printed > 1.8  # the printed one is that much too wide here


def pendulum(z_c, omega, f_bar, steps, eta=0.0):
    """Truth: ω' = z_c^⊥ · f̄ + η with f̄ fixed in the world, by small leapfrog steps; yields z_c and ω a sample."""
    h = DT / 50
    for k in range(steps):
        yield z_c, omega
        force = f_bar(k)
        for _ in range(50):
            z_c *= cmath.exp(0.5j * h * omega)
            omega += h * ((z_c.conjugate() * force).imag + eta)
            z_c *= cmath.exp(0.5j * h * omega)


@pytest.mark.parametrize("omega", [2.0, -2.0])
@pytest.mark.parametrize("kind", ["constant", "arbitrary"])
def test_the_observer_finds_the_centre_of_mass(kind, omega):
    force = (lambda k: 1.5j) if kind == "constant" else (lambda k: 2.0 * cmath.exp(0.004j * k) * math.cos(0.013 * k))
    eta = 0.0 if kind == "constant" else 0.02
    state, before, errors = CenterObserver(0j, omega), omega, []
    for k, (z_c, spin) in enumerate(pendulum(0.3 - 0.2j, omega, force, 6000, eta)):
        if k:
            state = observer_step(state, before, spin, force(k - 1), eta, 2.0, DT)
        before = spin
        errors.append(abs(state.z_c - z_c))
    assert errors[0] > 0.3  # m: it begins at zero, 0.36 m off
    assert max(errors[-300:]) < 1e-4  # m: of 0.36 at the start less than a thousandth is left


def test_without_spin_or_force_nothing_is_observed():
    assert observability(0.0, 2j) == 0.0
    assert observability(3.0, 0j) == 0.0
    assert observability(-2.0, 1.0 + 1.0j) == pytest.approx(4.0)


def test_a_force_that_turns_with_the_load_does_not_show_the_centre_of_mass():
    """[icra15, Prop. V.1] asks for spin and force only; this has both, and half of z_c stays unseen.

    Two loads whose z_c differ along the force turn alike, so nothing that reads ω can tell them apart.
    """
    f_b = 1.2 + 0.5j  # in the body
    for other in (0.3 - 0.2j, 0.3 - 0.2j + 0.7 * f_b):
        spins = [1.0]
        for _ in range(500):
            spins.append(spins[-1] + DT * (other.conjugate() * f_b).imag)
        assert spins[-1] == pytest.approx(1.0 + 5.0 * (0.3 * 0.5 + 0.2 * 1.2))
    for angle, omega in ((0.3, 2.0), (-1.0, -0.7)):
        f_bar = f_b * cmath.exp(1j * angle)
        assert observability(omega, f_bar, 1j * omega * f_bar) == pytest.approx(0.0, abs=1e-12)
        assert observability(omega, f_bar) > 1.0
