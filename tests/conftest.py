"""Strict JAX for every test: float64, no silent broadcasting, warnings are errors (see pyproject.toml)."""

import os

# Most programs are compiled to run once: without optimisation that takes a quarter of the time. Before JAX wakes up.
QUICK = ("backend_optimization_level=0", "llvm_disable_expensive_passes=true")
os.environ.setdefault("XLA_FLAGS", " ".join(f"--xla_{flag}" for flag in QUICK))

import hypothesis  # noqa: E402
import jax  # noqa: E402
import pytest  # noqa: E402

from steelyard import _jax  # noqa: E402

_jax.prepare_program()
hypothesis.settings.register_profile("steelyard", derandomize=True, deadline=None)  # the same cases on every machine
hypothesis.settings.load_profile("steelyard")
jax.config.update("jax_numpy_rank_promotion", "raise")


LONGEST = (
    "test_planar_team.py", "test_planar_papers.py", "test_user_path.py", "test_live_faults.py", "test_examples.py",
    "test_smoothed_flights.py", "test_rigid_body.py", "test_preflight.py", "test_wrist_bound.py", "test_tutorials.py",
    "test_runs.py", "test_peers.py", "test_window.py", "test_disturbed_team.py", "test_real_flights.py",
    "test_keyed_team.py", "test_processes.py", "test_layout.py", "test_sesame_data.py", "test_kill_sweep.py",
    "test_spatial_load.py", "test_bad_input.py", "test_stream.py", "test_vehicle.py", "test_cluster.py",
    "test_sesame_flights.py", "test_planar_commands.py", "test_disguises_trial.py",
    "test_disguises.py", "test_manifold.py", "test_damaged_files.py", "test_locality.py", "test_spatial_referees.py",
    "test_sesame_machines.py", "test_planar_teams.py", "test_doctests.py", "test_changes.py", "test_sensor_faults.py",
    "test_look.py", "test_fisher.py",
)  # fmt: skip
"""Files of more than five seconds, the longest first, so that all workers end together (see the Makefile)."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(LONGEST)))


@pytest.fixture
def key():
    return jax.random.key(20260711)


@pytest.fixture
def steelyard(tmp_path, capsys):
    """Runs a command in this process; its exit code, what it said, and what it complained."""
    from steelyard.cli._main import run  # not before pytest has told jaxtyping which packages to check

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = run([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def earnestly(tmp_path):
    """Runs a command in an empty folder, in a process where nothing checks types."""
    from commands import typed
    from earnest import in_earnest

    return lambda *arguments: in_earnest(typed, tmp_path, *map(str, arguments))
