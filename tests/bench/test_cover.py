"""Coverage over seeds: the interval of a share is the binomial law's, and a run counts what it should."""

import json

import numpy as np
import pytest
from compilers import has_compiler
from scipy import stats

from steelyard.bench import SIMULATED, _cover, clopper_pearson, cover
from steelyard.cli._main import run
from steelyard.errors import BadInput
from steelyard.problems import PROBLEMS


@pytest.mark.parametrize(("inside", "count"), [(0, 20), (20, 20), (19, 20), (941, 1000)])
def test_the_interval_is_that_of_the_binomial_tails(inside, count):
    low, high = clopper_pearson(inside, count)
    assert low <= inside / count <= high
    if inside > 0:
        assert stats.binom.sf(inside - 1, count, low) == pytest.approx(0.025)
    if inside < count:
        assert stats.binom.cdf(inside, count, high) == pytest.approx(0.025)


def test_the_interval_of_a_share_holds_at_least_as_often_as_it_says():
    draws = np.random.default_rng(0).binomial(200, 0.95, size=400)
    held = sum(low <= 0.95 <= high for low, high in (clopper_pearson(int(k), 200) for k in draws))
    assert held >= stats.binom.ppf(1e-4, 400, 0.95)


def test_every_problem_has_simulated_logs():
    assert set(SIMULATED) == set(PROBLEMS)


def test_rows_count_what_is_known_and_what_is_inside():
    runs = [[["r1", "mass", "known", error, 1.0, "kg"]] for error in (0.0, 1.9, -1.9, 2.1)]
    runs.append([["r1", "mass", "not-identifiable", None, None, "kg"]])
    (row,) = _cover._rows(runs)
    assert (row.logs, row.known, row.inside, row.unit) == (5, 4, 3, "kg")
    assert row.nees == pytest.approx((2 * 1.9**2 + 2.1**2) / 4)
    assert row.fits  # four logs cannot say that it does not


def test_cover_of_a_problem_uses_identify_and_its_truth(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # no processes for two logs
    rows, failures = cover("multirotor", "ekf", seeds=2)
    assert not failures
    (row,) = rows
    assert (row.robot, row.quantity, row.logs) == ("r1", "mass", 2)
    assert row.nees is None or row.nees < 9.2  # the mean of two squares: by chance once in 10,000
    with pytest.raises(BadInput, match="There are no simulated logs"):
        cover("rigid-bodies", seeds=1)


def test_the_filter_on_its_own_model_by_one_command(capsys, tmp_path):
    if not has_compiler():
        pytest.skip("there is no C compiler")
    page = tmp_path / "cover.html"
    assert run(["cover", "mass-filter", "--seeds", "500", "--json", "--page", str(page)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rows"]) == 10
    assert all(row["fits"] for row in found["rows"])
    assert "Clopper" in page.read_text(encoding="utf-8")
