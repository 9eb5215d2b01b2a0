"""What a planar motion does not identify is reported with its reason, and nothing else is."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from pushes import LOAD, noise_of, open_guess, pushed, samples_of

from steelyard import estimators as e
from steelyard.information import verdict
from steelyard.models import PlanarLoad
from steelyard.problems import planar_load as planar_load  # registers the explanations
from steelyard.worlds import PlanarScenario, planar_truth

SHORT = PlanarScenario(duration=8.0, rate=50.0)


def judged(truth):
    return verdict(LOAD, noise_of(len(truth.contacts)), open_guess(truth), samples_of(truth))


def untold(said) -> set[str]:
    return {name for name, status in said.status.items() if status == "not-identifiable"}


def test_a_rich_push_tells_everything():
    said = judged(pushed(SHORT, 0))
    assert set(said.status.values()) == {"known"}
    assert said.directions == ()
    assert said.text == "Everything can be told from this motion."


def test_a_push_that_never_turns_cannot_tell_the_inertia():
    """Nor how far the contacts lie from the centre: were all arms longer by a factor, nothing would look different."""
    truth = pushed(PlanarScenario(rate=50.0, forces="none-turning"), 0)
    said = judged(truth)
    assert "the inertia cannot be told from this motion: nothing turned" in said.sentences
    assert said.status["log_mass"] == "known"
    assert np.isinf(said.std["log_inertia"])
    assert untold(said) == {"log_inertia", *(f"contacts/{i}/{k}" for i in range(4) for k in range(2))}
    assert {"log_inertia": 1.0} in said.directions
    (scaling,) = [direction for direction in said.directions if "log_inertia" not in direction]
    arms = np.array([[scaling.get(f"contacts/{i}/{k}", 0.0) for k in range(2)] for i in range(4)])
    np.testing.assert_allclose(arms / arms[1, 0], truth.contacts / truth.contacts[1, 0], atol=0.05)


def test_forces_that_cancel_cannot_tell_the_mass():
    forces = pushed(SHORT, 0).forces
    said = judged(planar_truth(SHORT, 0, forces - forces.mean(axis=1, keepdims=True)))
    assert untold(said) == {"log_mass"}
    assert said.sentences == (
        "the mass cannot be told from this motion: the forces cancel, so the load as a whole was not pushed",
    )


def test_the_papers_turning_forces_tell_the_inertia_and_not_the_mass():
    """k_z perp(z_i) [icra15, Eq. (18)] sums to nothing, which is why the paper needs another stage for the mass."""
    contacts, rows = pushed(SHORT, 0).contacts, []
    z = contacts - contacts.mean(axis=0)
    spin = 0.3 * np.sum(z**2) / 8.6891
    for time in np.arange(401) / 50.0:  # wound up evenly from rest, so the heading is known in advance
        c, s = np.cos(0.5 * spin * time**2), np.sin(0.5 * spin * time**2)
        turned = z @ np.array([[c, s], [-s, c]])
        rows.append(0.3 * np.stack([-turned[:, 1], turned[:, 0]], axis=1))
    said = judged(planar_truth(SHORT, 0, np.array(rows)))
    assert untold(said) == {"log_mass"}
    assert said.status["log_inertia"] == "known"


def test_friction_under_the_load_can_be_told_too():
    push = dataclasses.replace(SHORT, viscous_friction=1.0, coulomb_friction=2.0)
    truth = pushed(push, 0)
    state = eqx.tree_at(lambda s: s.friction, truth.state_at(0), jnp.array([1.0, 2.0]))
    noise = eqx.tree_at(lambda n: n.drift, noise_of(4), jnp.zeros(16))
    guess = e.Guess(state, jnp.full(16, jnp.inf).at[0].set(0.0))
    said = verdict(PlanarLoad(friction_radius=push.friction_radius), noise, guess, samples_of(truth))
    assert set(said.status.values()) == {"known"}, said.text


def test_two_contacts_at_one_point_are_told():
    contacts = pushed(SHORT, 0).contacts.copy()
    contacts[2] = contacts[0]
    said = judged(planar_truth(SHORT, 0, contacts=contacts))
    assert any("r1 and r3 hold the load at the same point" in sentence for sentence in said.sentences)


def test_a_load_that_nobody_pushes_tells_nothing():
    said = judged(pushed(dataclasses.replace(SHORT, force=0.0), 0))
    assert {"log_mass", "log_inertia"} <= untold(said)
    assert "the mass cannot be told from this motion: nobody pushed" in said.sentences


def test_a_push_that_is_too_weak_is_not_yet_enough():
    """A hundredth of the force: a longer motion of this kind would do, and the verdict says so."""
    said = judged(pushed(dataclasses.replace(SHORT, force=0.04), 0))
    assert said.status["log_mass"] == "not-yet-known"
    assert "log_mass" in said.sentences[-1]
    assert "longer" in said.sentences[-1]


def test_a_robot_that_is_silent_leaves_its_own_contact_open():
    """With its force unused too, nothing shows where it holds the load."""
    truth = pushed(SHORT, 0)
    forces = truth.forces.copy()
    forces[:, 3] = 0.0
    truth = planar_truth(SHORT, 0, forces)
    velocities = truth.contact_velocities.copy()
    velocities[:, 3] = np.nan
    status = verdict(LOAD, noise_of(4), open_guess(truth), samples_of(truth, velocities)).status
    assert {name for name, knowledge in status.items() if knowledge != "known"} == {"contacts/3/0", "contacts/3/1"}
