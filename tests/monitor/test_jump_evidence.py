"""Evidence for a jump, against densities of Gaussians written out."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from steelyard.monitor import JumpScore, eliminate, generalised_ratio, jump_evidence, vector_jump_evidence

ROWS, JUMPING, OTHERS = 30, 3, 4
PRIOR = np.array([0.5, 2.0, 1.0])
ROUNDING = {"rtol": 1e-9, "atol": 1e-9}


@pytest.fixture
def rows():
    """Whitened data that depend linearly on a jump (H) and on other unknowns (G)."""
    rng = np.random.default_rng(3)
    H, G = rng.normal(size=(ROWS, JUMPING)), rng.normal(size=(ROWS, OTHERS))
    return rng.normal(size=ROWS) + H @ np.array([0.5, -1.0, 0.2]), H, G


def test_the_bayes_factor_is_a_ratio_of_gaussian_densities(rows):
    y, H, _ = rows
    with_jump = multivariate_normal(cov=np.eye(ROWS) + H @ np.diag(1.0 / PRIOR) @ H.T)
    without = multivariate_normal(cov=np.eye(ROWS))
    found = vector_jump_evidence(JumpScore(H.T @ y, H.T @ H), PRIOR)
    np.testing.assert_allclose(found.log_ratio, with_jump.logpdf(y) - without.logpdf(y), **ROUNDING)


def test_the_generalised_ratio_is_that_of_the_likeliest_size(rows):
    y, H, _ = rows
    found = generalised_ratio(JumpScore(H.T @ y, H.T @ H), np.full(JUMPING, 1e-12))
    left = y - H @ np.linalg.lstsq(H, y, rcond=None)[0]
    np.testing.assert_allclose(found.log_ratio, 0.5 * (y @ y - left @ left), **ROUNDING)


def test_the_scalar_form_is_the_vector_form_of_one_coordinate(rows):
    y, H, _ = rows
    score, information = H.T @ y, np.sum(H**2, axis=0)
    scalar = jump_evidence(score, information, PRIOR)
    for k in range(JUMPING):
        vector = vector_jump_evidence(JumpScore(score[k : k + 1], information[k : k + 1, None]), PRIOR[k : k + 1])
        np.testing.assert_allclose(scalar.log_ratio[k], vector.log_ratio, **ROUNDING)
        np.testing.assert_allclose(scalar.size[k], vector.size[0], **ROUNDING)


def test_elimination_leaves_what_a_joint_fit_finds(rows):
    """Several onsets at once; the others are fitted to all rows, the jump acts on the last ones."""
    y, H, G = rows
    onsets = [0, 10, 20]
    late = [np.where(np.arange(ROWS)[:, None] >= onset, H, 0.0) for onset in onsets]
    precision = G.T @ G
    step = np.linalg.solve(precision, G.T @ y)
    left = eliminate(
        JumpScore(np.array([h.T @ y for h in late]), np.array([h.T @ h for h in late])),
        np.array([h.T @ G for h in late]),
        step,
        precision,
    )
    found = generalised_ratio(left, np.full(JUMPING, 1e-12))
    for k, h in enumerate(late):
        joint = np.linalg.lstsq(np.hstack([h, G]), y, rcond=None)[0]
        np.testing.assert_allclose(found.size[k], joint[:JUMPING], **ROUNDING)
