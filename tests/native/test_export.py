"""An exported folder builds without a warning, answers as JAX does, and is clean under every referee that is here."""

import re
import shutil
import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from earnest import in_earnest
from export_runs import exported

from steelyard.cli._main import run
from steelyard.errors import BadInput
from steelyard.estimators import OnlineElm, RandomFeatures
from steelyard.native import export
from steelyard.native.c._sizes import TARGETS
from steelyard.papers.planar.robots import CenterObserver, observer_step
from steelyard.problems.planar_load._observer import CenterObservation, CenterSample, ObservedCenter

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffp-contract=off")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    case = registry.build("changes-hover")  # with exponentials, flags, counts and a search
    start = case.estimator.init(case.guess)
    where = tmp_path_factory.mktemp("exported") / "hover"
    export(case.estimator.step, (start, case.sample(0)), where, "hover", samples=case.samples)
    return where


def build(folder: Path, into: Path, compiler: str, *flags: str) -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    program = into / "check"
    sources = [str(folder / "hover.c"), str(folder / "main.c")]
    done = subprocess.run(
        [compiler, *STRICT, *flags, *sources, "-o", str(program), "-lm"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return program


def answers(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "16 rows, 0 wrong" in done.stdout
    return done.stdout + done.stderr


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_it_builds_without_a_warning_and_answers(folder, tmp_path, compiler):
    answers(str(build(folder, tmp_path, compiler, "-O2")))


def test_valgrind_finds_nothing(folder, tmp_path):
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    program = build(folder, tmp_path, "gcc", "-O1", "-g")
    told = answers("valgrind", "--error-exitcode=9", "--leak-check=full", str(program))
    assert "ERROR SUMMARY: 0 errors" in told


def test_sanitizers_find_nothing(folder, tmp_path):
    answers(str(build(folder, tmp_path, "gcc", "-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all")))


def test_another_machine_answers_the_same(folder, tmp_path):
    if shutil.which("qemu-aarch64") is None:
        pytest.skip("qemu-aarch64 is not installed")
    answers("qemu-aarch64", str(build(folder, tmp_path, "aarch64-linux-gnu-gcc", "-O2", "-static")))


def test_it_keeps_nothing_between_calls(folder, tmp_path):
    """No allocation, no variables: the object refers to <math.h> only, and has neither data nor bss."""
    if not (shutil.which("gcc") and shutil.which("nm")):
        pytest.skip("gcc or nm is not installed")
    made = tmp_path / "hover.o"
    subprocess.run(["gcc", *STRICT, "-O2", "-c", str(folder / "hover.c"), "-o", str(made)], check=True)
    symbols = subprocess.run(["nm", str(made)], capture_output=True, text=True, check=True).stdout
    kinds = {name: kind for kind, name in re.findall(r"([A-Za-z]) (\S+)$", symbols, re.MULTILINE)}
    assert not set(kinds.values()) & set("BbDdCc")
    assert {name for name, kind in kinds.items() if kind == "U"} <= {
        "exp",
        "expm1",
        "log",
        "sqrt",
        "_GLOBAL_OFFSET_TABLE_",
    }


def test_the_check_can_fail(folder, tmp_path):
    other = tmp_path / "hover"
    shutil.copytree(folder, other)
    text = (other / "hover.c").read_text()
    where = text.index("* ", text.index("hover_step("))
    (other / "hover.c").write_text(f"{text[:where]}+ {text[where + 2 :]}")
    done = subprocess.run([str(build(other, tmp_path, "gcc", "-O0"))], capture_output=True, text=True)
    assert done.returncode == 1


def test_cmake_builds_and_tests_it(folder, tmp_path):
    if not shutil.which("cmake"):
        pytest.skip("cmake is not installed")
    for command in (
        ["cmake", "-S", str(folder), "-B", "build"],
        ["cmake", "--build", "build"],
        ["ctest", "--test-dir", "build"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_header_tells_where_and_how_much(folder):
    header = (folder / "hover.h").read_text()
    assert re.search(r"#define HOVER_BELIEF_\w*COVARIANCE 1 /\* 1 x 1 \*/", header)
    stack = int(re.findall(r"#define HOVER_STACK_BYTES (\d+)", header)[0])
    assert 0 < stack < 16 * 1024
    assert "| stack, bytes |" in (folder / "README.md").read_text()


def test_the_header_tells_conventions_units_and_what_was_not_measured(tmp_path):
    units = {"dt": "s", "speed": "m/s"}
    step = {"speed": jnp.zeros(2)}
    export(lambda belief, dt: {"speed": belief["speed"] + dt}, (step, jnp.ones(2)), tmp_path / "c", "f", units=units)
    header, readme = ((tmp_path / "c" / name).read_text() for name in ("f.h", "README.md"))
    assert "SI units" in header
    assert "w, x, y, z" in header
    assert "NaN" in header
    assert "#define F_BELIEF_SPEED 0 /* 2; m/s */" in header
    assert "void f_init(double *belief);" in header
    for target, (compiler, _) in TARGETS.items():
        said = f"{target}: not measured, because {compiler} is not installed." in header
        assert said == (shutil.which(compiler) is None)
        assert said == (f"{target}: not measured" in readme)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_the_initialiser_is_the_first_state(tmp_path):
    first = np.array([1.5, np.nan, np.inf, -2.0])
    export(lambda belief, dt: belief + dt, (first, np.zeros(4)), tmp_path / "hover", "hover")
    done = subprocess.run([str(build(tmp_path / "hover", tmp_path, "gcc", "-O1"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    source = tmp_path / "hover" / "hover.c"
    source.write_text(source.read_text().replace("{1.5, ", "{1.25, "))
    assert subprocess.run([str(build(tmp_path / "hover", tmp_path, "gcc", "-O1"))]).returncode == 1


def test_a_folder_in_use_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(BadInput, match="not an empty folder"):
        export(lambda x: x, (np.zeros(2),), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_float32_and_any_pure_step(tmp_path):
    """A learning machine's step, in single precision."""
    online = OnlineElm(RandomFeatures.draw(jax.random.key(1), 6, np.zeros(3), np.ones(3)), regularisation=1e-2)

    def learn(machine, inputs, target):
        return online.learn(machine, inputs[None], target[None])

    told = export(learn, (online.init(1), jnp.ones(3), jnp.ones(1)), tmp_path / "hover", "hover", single=True)
    assert "float *machine" in (tmp_path / "hover" / "hover.h").read_text()
    assert told.code.single
    done = subprocess.run([str(build(tmp_path / "hover", tmp_path, "gcc", "-O1"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_observer_as_arrays_is_the_teams():
    rng = np.random.default_rng(3)
    ours, theirs = (
        ObservedCenter(jnp.array([0.1, -0.2]), jnp.asarray(0.3), jnp.asarray(0.3)),
        CenterObserver(0.1 - 0.2j, 0.3),
    )
    read = 0.3
    for _ in range(20):
        omega, fx, fy, eta = rng.standard_normal(4)
        ours = CenterObservation(7.0).step(
            ours, CenterSample(jnp.asarray(0.05), jnp.asarray(omega), jnp.array([fx, fy]), jnp.asarray(eta))
        )
        theirs = observer_step(theirs, read, omega, complex(fx, fy), eta, 7.0, 0.05)
        read = omega
        np.testing.assert_allclose(ours.z_c, [theirs.z_c.real, theirs.z_c.imag], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(ours.omega, theirs.omega, rtol=1e-12)


@pytest.mark.parametrize(("problem", "method"), [("multirotor", "rls"), ("spatial-load", "consensus")])
def test_a_problem_by_command(problem, method, tmp_path):
    assert in_earnest(exported, problem, method, tmp_path / "hover") == 0
    answers(str(build(tmp_path / "hover", tmp_path, "gcc", "-O0")))


ROBOT = """
import jax.numpy as jnp, numpy as np
from steelyard.estimators import Guess, Noise, Sample
from steelyard.models import Model
from steelyard.problems import OwnRobot, Quantity
class Door(Model):
    def dynamics(self, state, control, dt):
        rate = state["rate"] + dt * control * jnp.exp(-state["log_inertia"])
        return {"rate": rate, "log_inertia": state["log_inertia"]}
    def observe(self, state, control):
        return state["rate"]
    def idle(self, state):
        return jnp.zeros(())
def samples(log):
    return Sample(np.diff(log.time, prepend=log.time[0]), log.columns["r1/thrust"], log.columns["r1/rates/x"])
ROBOT = OwnRobot(Door(), Noise(np.array([0.01]), np.array([0.01]), np.array([0.0, 1e-3]), np.array([1.0])),
                 Guess({"log_inertia": np.asarray(0.0), "rate": np.asarray(0.0)}, np.array([1.0, 0.1])), samples,
                 {"inertia": Quantity(lambda s: jnp.exp(s["log_inertia"]), "kg m²", "log_inertia")}, name="door")
"""


def test_ones_own_robot_by_command(tmp_path, capsys):
    (tmp_path / "door.py").write_text(ROBOT)
    time = np.arange(30) * 0.1
    rows = "\n".join(f"{t:.1f},{np.sin(t):.6f},{0.5 * (1 - np.cos(t)):.6f}" for t in time)
    (tmp_path / "door.csv").write_text(f"time,r1/thrust,r1/rates/x\n{rows}\n")
    command = ["export", "--as", str(tmp_path / "door.py"), "--method", "ekf", "--log", str(tmp_path / "door.csv")]
    assert run([*command, "-o", str(tmp_path / "hover"), "--name", "hover", "--json"]) == 0
    assert '"operations"' in capsys.readouterr().out
    answers(str(build(tmp_path / "hover", tmp_path, "gcc", "-O1")))
    assert run([*command, "-o", str(tmp_path / "hover")]) == 2
    assert "not an empty folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--as", "planar-load", "--method", "agent"], "observer"),
        (["--as", "spatial-load", "--method", "observer"], "consensus"),
        (["--as", "rigid-body"], "calibrated = true"),
        (["--as", "rigid-body", "--single"], "float32 cannot hold"),
        (["--as", "rigid-body", "--method", "likelihood"], "no step that can become C"),
        (["--as", "jets"], "needs a log"),
        (["--as", "planar-load", "--name", "Big Name"], "small letters"),
    ],
)
def test_bad_usage_is_one_sentence(tmp_path, capsys, arguments, said):
    assert run(["export", *arguments, "-o", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
