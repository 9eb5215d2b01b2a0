"""What every command shares on a terminal: the version, `--quiet` and shell completion."""

import io
import re
import shutil
import subprocess

import pytest
from rich.console import Console

from steelyard.cli._completion import every_help
from steelyard.cli._main import COMMANDS, run
from steelyard.live import RobotStatus, WatchedTeam, live_table
from steelyard.live.robot._status import EstimateReport


@pytest.fixture(scope="module")
def helps():
    return {one.words: one for one in every_help()}


def test_the_version_names_engine_and_compiler(capsys):
    assert run(["--version"]) == 0
    version, engine, compiler = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"steelyard \d+\.\d+\.\d+", version)
    assert re.match(r"engine: jax \d+\.\d+.*, jaxlib \d+\.\d+.* Python 3\.\d+", engine)
    assert compiler.startswith("compiler: ")
    assert ("none" in compiler) == (not any(map(shutil.which, ("cc", "gcc", "clang"))))


def test_every_command_takes_quiet(helps):
    lacking = {words[0] for words, one in helps.items() if not one.parts and "--quiet" not in one.options}
    assert lacking == {"agent", "completion"}  # a robot reports to its middleware; a script is the result


def test_quiet_leaves_the_result_only(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["simulate", "multirotor", "--duration", "2", "-o", "flight.csv", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    arguments = ["identify", "flight.csv", "--as", "multirotor", "--method", "rls", "--report", "r.html"]
    code = run(arguments)
    loud = capsys.readouterr().out
    assert run([*arguments, "--quiet"]) == code
    quiet = capsys.readouterr()
    assert (tmp_path / "r.html").exists()
    assert "Report: r.html" in loud
    assert "Notes" in loud
    assert "Report" not in quiet.out
    assert "Notes" not in quiet.out
    assert loud.startswith(quiet.out.rstrip())
    assert quiet.err == ""


def test_the_help_of_every_command_and_part_is_found(helps):
    assert {words[0] for words in helps} == set(COMMANDS)
    assert ("simulate", "wrist") in helps
    assert "--method" in helps[("identify",)].options
    assert "--output" in helps[("look",)].options  # it has a short name, too
    assert all(one.text.startswith("usage: steelyard") for one in helps.values())


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(capsys, tmp_path):
    assert run(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    asked = """
    t() { COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMPREPLY=(); _steelyard; echo "${COMPREPLY[*]}"; }
    t steelyard id; t steelyard identify --me; t steelyard simulate wri; t steelyard simulate wrist --picks
    t steelyard identify x.csv --as rig; t steelyard bench pe; t steelyard simulate wrist --pick-m"""
    done = subprocess.run(["bash", "-c", script + asked], capture_output=True, text=True, cwd=tmp_path, check=True)
    wanted = ["identify", "--method --mend", "wrist", "", "rigid-body", "peers", "--pick-mass"]
    assert done.stdout.splitlines() == wanted
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script_that_they_can_read(capsys, shell):
    assert run(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "--as" in script if shell == "zsh" else "-l as -x -a" in script
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=script, text=True).returncode == 0


def test_an_unknown_shell_is_one_sentence(capsys):
    assert run(["completion", "tcsh"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_live_table_has_time_labels_and_units():
    known = {
        "mass": EstimateReport(2.0, 0.01, "kg", None, "known", 3.0),
        "com": EstimateReport([0.1, -0.02, 0.003], [0.001] * 3, "m", "r1", "known", 3.0),
        "inertia": EstimateReport([[0.2, 0, 0], [0, 0.3, 0], [0, 0, 0.4]], None, "kg m²", "r1", "known", 3.0),
    }
    status = RobotStatus(
        robot="r1", pid=1, epoch=1, phase="running", time=12.34, tick=1234, holding=True, estimates=known, known=known,
        age=0.1, alive=("r2",), missing=(), faulty=(), sent=5, received=4, lost=1, dropped={}, clock=("r1", 0.0),
        late=(1.0, 2.0, 3.0), memory=200.0, processor=0.1, threads=2,
    )  # fmt: skip
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(live_table(WatchedTeam({"r1": status}, {"r1": 0.0}, []), ("r1", "r2")))
    text = console.export_text()
    for words in (
        "12.3 s of the run",
        "2.0000 ± 0.0196 kg",
        "x 100.0, y -20.0, z 3.0 mm",
        "xx 0.200, yy 0.300, zz 0.400 kg m²",
    ):
        assert words in text
    assert "starting" in text
    narrow = Console(width=80, record=True, file=io.StringIO())
    narrow.print(live_table(WatchedTeam({"r1": status}, {"r1": 0.0}, []), ("r1", "r2")))
    text = narrow.export_text()
    assert "2.0000 ± 0.0196" in text
    assert "x 100.0," in text
