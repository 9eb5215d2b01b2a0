"""Numbers that tune behaviour stand in a method's `_tuning.py`; those elsewhere are facts, each with its kind."""

import ast
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).parents[2] / "src" / "steelyard"

FACTS: dict[str, dict[str, str]] = {
    "the order or the size of an array": {
        "bench/_handwritten_c.py": "STATE SAMPLE",
        "bench/peers/_filters.py": "H",
        "bench/wrist/_bound.py": "_STATE _FREE",
        "bench/wrist/_campaign.py": "QUANTITIES",
        "campaigns/_simulated_filter.py": "STATES NORMALS",
        "geometry/_inertia.py": "MOMENT_ENTRIES MOMENT_PLACES",
        "geometry/_quaternions.py": "_PRODUCT _CONJUGATE",
        "logs/mapping/_motor_columns.py": "_CORNERS",
        "logs/mapping/_rows.py": "_AXES",
        "papers/fan17/_score.py": "_UPPER",
        "papers/fan17/robots/_procedure.py": "ROW",
        "papers/planar/_centralised.py": "_MOTION",
        "papers/planar/robots/_procedure.py": "N_CHANNELS",
        "papers/sesame/_bound.py": "_LOG_MASS _LOSS",
        "problems/planar_load/_sensor_errors.py": "_LOAD",
        "problems/rigid_body/_recursive.py": "UNKNOWNS",
        "problems/rigid_body/_recursive_answer.py": "SIGNALS",
        "problems/rigid_body/_trajectory.py": "QUANTITIES",
        "problems/spatial_load/_channel_faults.py": "_WRENCH",
        "problems/spatial_load/_sensor_errors.py": "_ALL",
        "report/_components.py": "_AXES",
        "worlds/multirotor/_vehicle.py": "ROTORS",
        "worlds/wrist/_arm.py": "JOINTS",
        "worlds/wrist/_motion.py": "_DISTAL",
        "worlds/wrist/_simulation.py": "_PAIRS",
        "team/planar_load/_compiled_rollouts.py": "_MOVING _READINGS _PATH",
        "team/planar_load/_contact.py": "_WIDTH",
        "team/planar_load/_fit.py": "N_UNKNOWNS",
        "team/planar_load/_joint_step.py": "N_GAUGE",
        "team/planar_load/_sum_keys.py": "N_PARTS",
        "team/planar_load/_sums.py": "N_SUMS",
        "team/spatial_load/_compiled_filter.py": "_NOTHING",
        "team/spatial_load/_equations_of_motion.py": "OMEGA SPEED DOWN ERROR",
        "team/spatial_load/_linearisation_point.py": "LOAD TILT _FIRST_POSE UPPER",
    },
    "mathematics": {
        "estimators/_ukf.py": "GAMMA",
        "geometry/_rotations.py": "_SERIES_BELOW _SIN_SERIES _COS_SERIES _SIN_TAIL_SERIES _COT_SERIES",
        "problems/planar_load/_even_rows.py": "_FEWEST",
        "problems/spatial_load/_channel_faults.py": "_DEGREES",
        "logs/mapping/_velocities.py": "_LENGTHS",
        "team/spatial_load/_linearisation_point.py": "_ENTRIES",
    },
    "a format or an interface": {
        "_serialise.py": "_FORMAT",
        "live/robot/_checkpoint.py": "_VERSION",
        "logs/formats/_columns.py": "_SECONDS _STAMPS",
        "logs/formats/_crazyflie.py": "MAGIC _STAMPS",
        "logs/formats/_dataflash.py": "_FMT _FMT_SIZE _SCALES _TEXTS TICKS",
        "logs/formats/_dialect.py": "_WORDS",
        "logs/formats/_mcap_bag.py": "_CHANNEL _CHUNK _FOOTER _INDEX _MESSAGE _RECORD _SCHEMA",
        "logs/formats/_parquet_table.py": "_TICKS",
        "logs/formats/_ros1_bag.py": "_CHUNK _CONNECTION _INDEX _MESSAGE",
        "logs/formats/_ros_layout.py": "_SIZES _BASE _NAME _ARRAY _SEQUENCE",
        "logs/formats/_ros_topic.py": "_STAMP_END",
        "logs/formats/_ulog.py": "_HEADER _DATA",
        "logs/mapping/_px4.py": "_OUTPUTS",
        "logs/mapping/_requirements.py": "BRIDGES",
        "logs/mapping/_unit_names.py": "OFFSETS",
        "native/runtime/_loading.py": "_METH_FASTCALL",
        "problems/multirotor/_vehicle_load.py": "_CRAZYFLIE",
        "problems/preflight/_flight_readings.py": "_FRD",
        "team/consensus/_tree_sums.py": "_REMEMBERED",
        "team/planar_load/_sum_keys.py": "_NONE",
        "team/spatial_load/_relay_message.py": "VALUES_SIZE",
        "team/spatial_load/_relayed_series.py": "AHEAD",
        "team/transport/_envelope.py": "VERSION",
    },
    "physics": {
        "bench/faults/_multirotor.py": "_G",
        "bench/faults/_wrist.py": "_G",
        "models/_multirotor.py": "STANDARD_GRAVITY",
        "logs/mapping/_thrust.py": "_G",
        "logs/mapping/_unit_names.py": "G",
        "worlds/multirotor/_disturbed.py": "_G",
    },
    "published, or the scenario of a paper": {
        "papers/fan17/_reproduce.py": "_ASKED",
        "papers/fan17/_scenario.py": "MOMENTS PUBLISHED",
        "papers/ironcub/_failures.py": "_WHAT",
        "papers/planar/_scenario.py": "RATE MASS CDC14_INERTIA CDC14_SECONDS INERTIA VELOCITY_NOISE SECONDS PUBLISHED",
        "papers/sesame/_learning_machines.py": "NODES REGULARISATIONS REPETITIONS",
        "papers/sesame/_learning_machines_report.py": "TRAINED",
        "papers/sesame/_page.py": "_FIGURES",
        "worlds/jets/_pilot.py": "COMMAND_PERIOD",
        "worlds/jets/_simulation.py": "RATE",
        "worlds/multirotor/_sesame.py": "SESAME_REPETITIONS ROWS_A_COMMAND",
        "worlds/planar/_shapes.py": "_LENGTH _WIDTH _CUT_LENGTH _CUT_DEPTH _ROD _RADIUS _PLATE_INERTIA",
    },
    "what is simulated, or what may be asked for": {
        "_face/_export.py": "_EXAMPLES",
        "bench/_accuracy.py": "SEEDS",
        "bench/disguises/_disguise.py": "LATE CLOCK_AHEAD CLOCK_FAST",
        "bench/drone/_campaign.py": "AIMS",
        "bench/faults/_own.py": "_FRICTION",
        "bench/faults/_seen.py": "_GRIPPER",
        "bench/peers/_flight.py": "SCENARIOS",
        "bench/wrist/_bound.py": "ERRORS",
        "bench/wrist/_campaign.py": "SENSOR_ERRORS",
        "live/trials/_malformed_messages.py": "_ODD",
        "live/trials/_virtual_team.py": "EPOCH",
        "worlds/jets/_scenario.py": "TAKE_OFF _RANGES",
        "worlds/jets/_simulation.py": "SENSOR_NOISE",
        "worlds/multirotor/_disturbed.py": "_RATE _LOW",
        "worlds/multirotor/_profiles.py": "_SEVERAL _HALFWAY _RAMP",
        "worlds/multirotor/_trajectories.py": "FLIGHT_TIME _HEIGHT",
        "worlds/planar/_scenario.py": "_LEAST",
        "worlds/spatial/_scenario.py": "_PRESETS _LEAST",
        "worlds/wrist/_arm.py": "_AXES",
        "worlds/wrist/_scenario.py": "_LEAST _NOISES",
    },
}
"""By kind and file, the constants that are no matter of taste: something else fixes them, or they are the question."""

MODULES = {"np", "jnp", "math"}
CONTAINERS = {"dict", "float", "frozenset", "int", "range", "round", "slice", "tuple", "MappingProxyType"}


def is_literal(node: ast.AST) -> bool:
    """Whether a value is made of literals alone, so that its numbers have no other home."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    return names <= MODULES | CONTAINERS


def has_number(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Constant) and isinstance(each.value, int | float) and not isinstance(each.value, bool)
        for each in ast.walk(node)
    )


def numbers(source: str) -> Iterator[str]:
    """Names that a module gives to literal numbers, or to tables of them."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and is_literal(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if has_number(node.value):
                yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))


def found() -> set[tuple[str, str]]:
    files = [(path.relative_to(SRC).as_posix(), path) for path in sorted(SRC.rglob("*.py"))]
    return {
        (place, name)
        for place, path in files
        if path.name != "_tuning.py"
        for name in numbers(path.read_text(encoding="utf-8"))
    }


def facts() -> set[tuple[str, str]]:
    listed = [(place, name) for files in FACTS.values() for place, names in files.items() for name in names.split()]
    assert len(listed) == len(set(listed)), "a fact is listed twice"
    return set(listed)


def test_numbers_that_tune_stand_in_a_tuning_file():
    more = [f"{place}: {name}" for place, name in sorted(found() - facts())]
    assert not more, "\n" + "\n".join(
        [*more, "Move these to a field of `_tuning.py`, with unit and reason (CONTRIBUTING)."]
    )


def test_every_fact_on_the_list_is_still_there():
    gone = [f"{place}: {name}" for place, name in sorted(facts() - found())]
    assert not gone, "\n" + "\n".join(gone)


def test_every_field_of_a_tuning_file_has_its_reason():
    lacking = []
    for path in sorted(SRC.rglob("_tuning.py")):
        place = path.relative_to(SRC).as_posix()
        for kind in ast.parse(path.read_text(encoding="utf-8")).body:
            fields = kind.body if isinstance(kind, ast.ClassDef) else []
            for k, field in enumerate(fields):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    after = [each for each in fields[k + 1 :] if not isinstance(each, ast.AnnAssign)][:1]
                    if not (after and isinstance(after[0], ast.Expr) and isinstance(after[0].value, ast.Constant)):
                        lacking.append(f"{place}:{field.lineno}: {field.target.id}")
    assert not lacking, "\n" + "\n".join(lacking)


def test_the_checker_finds_numbers_however_they_are_written():
    source = """
A, B = 1, -2.0
C: float = 3 * 60
D = (1e-3,) * 6
E = {"x": 0.1}
F = np.radians(50.0)
G = 2 * A
H = Scenario(duration=3.0)
I = ("x", "y")
J = True
def k(): L = 1
"""
    assert list(numbers(source)) == ["A", "B", "C", "D", "E", "F"]
