"""The verdict on a motion for any model: named by its coordinates, or explained by the model's author."""

import jax.numpy as jnp
import registry

from steelyard import estimators as e
from steelyard.information import describe, explain, verdict


def test_any_model_is_described_by_the_names_of_its_coordinates():
    samples = registry.line_log(0)
    along = jnp.outer(samples.control[:, 0], jnp.array([0.6, 0.8]))
    silent = {**samples.measurement, "direct": jnp.full_like(samples.measurement["direct"], jnp.nan)}
    guess = e.Guess(jnp.zeros(2), jnp.full(2, 3.0))
    said = verdict(registry.Line(), registry.LINE_NOISE, guess, e.Sample(samples.dt, along, silent))
    assert set(said.status.values()) == {"not-identifiable"}
    assert len(said.directions) == 1
    assert "cannot be told apart" in said.text
    assert describe({"log_mass": 1.0}) == "the mass cannot be told from this motion"


def test_an_author_may_register_an_explanation():
    class Quiet(registry.Line):
        pass

    explain.register(Quiet, lambda model, direction, motion: f"no sound of {' or '.join(direction)}")
    samples = registry.line_log(0)
    silent = {name: jnp.full_like(values, jnp.nan) for name, values in samples.measurement.items()}
    guess = e.Guess(jnp.zeros(2), jnp.full(2, 3.0))
    said = verdict(Quiet(), registry.LINE_NOISE, guess, e.Sample(samples.dt, samples.control, silent))
    assert said.sentences == ("no sound of 0", "no sound of 1")
