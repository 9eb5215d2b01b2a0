"""Files stay small, speak for themselves, and name nobody's machine."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
LOCK = ROOT / "requirements.lock"
SOURCES = sorted(SRC.rglob("*.py"))
CORE = ("geometry", "models", "estimators", "information", "monitor")
LIMIT = 400

# Written so that this file does not match itself.
PRIVATE = {
    "a path of a developer's machine": re.compile(
        # Homes, scratch folders, and wherever this checkout happens to lie.
        rf"(?<![\w.])(?:/root|/home/\w+|/Users/\w+|/[t]mp/\w+|{re.escape(str(ROOT.parent))})/"
    ),
    "a package registry": re.compile(r"https?://[^ ]*/simple"),
}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tracked_texts() -> list[tuple[str, str]]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    found = []
    for name in listed.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and b"\0" not in (data := path.read_bytes()):
            found.append((name, data.decode("utf-8", errors="replace")))
    return found


def private_lines(name: str, text: str) -> list[str]:
    return [
        f"{name}:{number}: names {what}: {line.strip()[:100]}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in PRIVATE.items()
        if pattern.search(line)
    ]


def prints(name: str, source: str) -> list[str]:
    return [
        f"{name}:{node.lineno}: print in a core room; return a value and let the command line show it"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]


def lock_problems(text: str) -> list[str]:
    found = []
    joined = re.sub(r"\\\n\s*", "", text)
    for line in joined.splitlines():
        requirement = re.sub(r"(^|\s)#.*$", "", line).strip()
        if not requirement:
            pass
        elif requirement.startswith("-"):
            found.append(f"{requirement}: an option; the lock lists requirements only")
        elif not re.match(r"[\w.-]+(\[[\w,.-]+\])?==\S+", requirement):
            found.append(f"{requirement[:60]}: not pinned with ==")
        elif not re.search(r"--hash=sha256:[0-9a-f]{64}\b", requirement):
            found.append(f"{requirement[:60]}: no hash")
    found += [f"{url}: a host; the lock names none" for url in re.findall(r"https?://\S+", text)]
    return found


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_source_file_is_short(path: Path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LIMIT, f"{name_of(path)} has {lines} lines, more than {LIMIT}; split it, one idea a file"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_module_has_a_docstring(path: Path):
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert doc, f"{name_of(path)}:1: no module docstring; say what the module is for"


def test_core_rooms_do_not_print():
    files = [path for room in CORE for path in (SRC / "steelyard" / room).rglob("*.py")]
    found = [line for path in files for line in prints(name_of(path), path.read_text(encoding="utf-8"))]
    assert not found, "\n" + "\n".join(found)


def test_tracked_files_name_nobodys_machine():
    found = [line for name, text in tracked_texts() for line in private_lines(name, text)]
    assert not found, "\n" + "\n".join(found)


def test_lock_has_a_hash_for_every_requirement_and_no_host():
    assert LOCK.is_file(), "requirements.lock does not exist; make it with uv pip compile --universal --generate-hashes"
    text = LOCK.read_text(encoding="utf-8")
    assert "==" in text, "requirements.lock lists no requirement"
    found = lock_problems(text)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "/".join(["see ", "root", "notes.txt"]),
        f"cd {ROOT.parent}/somewhere",
        "/".join(["open ", "home", "ann", "notes.txt"]),
        "/".join(["PATH=", "tmp", "scratch", "v"]),
        "/".join(["index-url = https:/", "mirror.example", "simple", ""]),
    ],
)
def test_the_checker_catches_private_names(line: str):
    assert len(private_lines("made-up.md", f"fine\n{line}")) == 1


@pytest.mark.parametrize("line", ["team/home/x", "https://example.org/docs", "the root/ folder", "./home/ann/out.csv"])
def test_the_checker_lets_other_paths_pass(line: str):
    assert private_lines("made-up.md", line) == []


def test_the_checker_catches_prints():
    assert len(prints("made-up.py", "x = 1\nprint(x)\nx.print()")) == 1


def test_the_checker_reads_locks():
    digest = "0" * 64
    good = f"# made by uv\njax==0.7.0 ; python_version < '3.14' \\\n    --hash=sha256:{digest}\n    # via steelyard\n"
    assert lock_problems(good) == []
    assert len(lock_problems("jax==0.7.0\n")) == 1
    assert len(lock_problems(f"jax>=0.7.0 --hash=sha256:{digest}\n")) == 1
    assert len(lock_problems("--index-url https://mirror.example/pypi\n")) == 2


def checked_packages() -> list[str]:
    """Modules whose shapes the tests check at run time, as pyproject.toml names them."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    (listed,) = (option for option in options["addopts"] if option.startswith("--jaxtyping-packages="))
    return listed.partition("=")[2].split(",")[:-1]  # the last one is the checker


@pytest.mark.parametrize("source", [path for path in SOURCES if "from jaxtyping import" in path.read_text("utf-8")])
def test_stated_shapes_are_checked_at_run_time(source: Path):
    module = ".".join(source.relative_to(SRC).with_suffix("").parts)
    assert any(f"{module}.".startswith(f"{package}.") for package in checked_packages()), (
        f"{module} states shapes: add it to --jaxtyping-packages in pyproject.toml"
    )


def test_tests_mirror_the_package():
    """Every room has its tests, and every folder of tests is one of the package; `face` is the package's own face."""
    package, tests = SRC / "steelyard", ROOT / "tests"
    ours = {path.relative_to(tests) for path in tests.rglob("*") if path.is_dir() and any(path.glob("test_*.py"))}
    folders = {"_face" if str(folder) == "face" else str(folder) for folder in ours - {Path("house")}}
    assert not [folder for folder in folders if not (package / folder / "__init__.py").is_file()]
    rooms = {path.parent.name for path in package.glob("*/__init__.py")}
    assert rooms == {folder.split("/")[0] for folder in folders}


def test_the_longest_test_files_exist():
    """A file that was renamed would run last, alone on one of two cores."""
    names = re.findall(r'"(test_\w+\.py)"', (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    there = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert set(names) <= there, set(names) - there
