"""What is installed: wheel and source archive are whole, and a missing extra is named with its `pip` line."""

import re
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "steelyard"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = set(PROJECT["optional-dependencies"])


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> dict[str, Path]:
    """The two archives, built by the project's own backend without fetching anything."""
    import os

    from hatchling import build

    folder, before = tmp_path_factory.mktemp("dist"), Path.cwd()
    os.chdir(ROOT)
    try:
        return {"wheel": folder / build.build_wheel(str(folder)), "sdist": folder / build.build_sdist(str(folder))}
    finally:
        os.chdir(before)


def test_the_wheel_has_every_file_of_the_package(built):
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = set(wheel.namelist())
    ours = {path.relative_to(SRC.parent).as_posix() for path in SRC.rglob("*") if path.is_file()}
    assert {name for name in ours if "__pycache__" not in name} <= names
    assert "steelyard/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "docs/", "examples/"))]


def test_the_wheel_states_extras_versions_and_licence(built):
    with zipfile.ZipFile(built["wheel"]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("METADATA"))
        facts = message_from_string(wheel.read(name).decode())
        (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        commands = wheel.read(name).decode()
    assert set(facts.get_all("Provides-Extra", [])) == EXTRAS
    assert facts["License-Expression"] == "Apache-2.0"
    assert sorted(facts["Requires-Python"].split(",")) == sorted(PROJECT["requires-python"].split(","))
    assert "steelyard = steelyard.cli:main" in commands


def test_the_source_archive_can_build_and_test_itself(built):
    with tarfile.open(built["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "Makefile",
        "requirements.lock",
        "src/steelyard/py.typed",
    } <= names
    assert "tests/conftest.py" in names
    assert "examples/01_your_own_robot.py" in names


def test_a_missing_extra_is_named_with_a_line_that_every_shell_takes():
    """`pip install "steelyard[logs]"`: an extra that exists, in quotes, because zsh reads brackets itself."""
    found = []
    for path in SRC.rglob("*.py"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for match in re.finditer(r'pip install (\\?"?)steelyard\[([\w,]+)\]', line):
                found.append((path.name, number, match[1], set(match[2].split(","))))
    assert len(found) > 5
    assert [one for one in found if not one[2] or not one[3] <= EXTRAS] == []


def test_all_is_the_sum_of_what_people_need():
    (everything,) = PROJECT["optional-dependencies"]["all"]
    listed = set(re.findall(r"\[(.+)\]", everything)[0].split(","))
    assert listed <= EXTRAS
    assert {"sim", "team", "logs", "multibody", "campaign", "bench"} <= listed
    assert not {"dev", "docs", "cuda", "peers"} & listed  # the last two are large, and no test needs them


def test_the_citation_has_the_version_and_the_papers():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = re.search(r'__version__ = "(.+)"', (SRC / "__init__.py").read_text(encoding="utf-8"))[1]
    assert f"\nversion: {version}\n" in text
    cited = tomllib.loads((ROOT / "docs" / "BIBLIOGRAPHY.toml").read_text(encoding="utf-8"))
    assert [key for key in ("cdc14", "icra15", "fan17", "sesame", "ironcub") if cited[key]["title"] not in text] == []
