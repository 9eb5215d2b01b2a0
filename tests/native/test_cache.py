"""What was compiled is kept by content, for its owner only, whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hearing import hearing

from steelyard._files import is_private
from steelyard._jax import private_folder
from steelyard.native import NoCompiler, emit, load
from steelyard.native.c._python_binding import library_source
from steelyard.native.runtime import _compiler
from steelyard.native.runtime._compiler import shared_library
from steelyard.native.runtime._tuning import RuntimeTuning

QUICK = ("-std=c99", "-O0")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "native"


@pytest.fixture
def source() -> str:
    return library_source(emit(lambda x: 2.0 * x, (np.zeros(2),)))


def entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir())


def test_the_second_time_nothing_is_compiled(cache, source, monkeypatch):
    first = shared_library(source, QUICK)
    made = first.stat().st_mtime_ns
    assert shared_library(source, QUICK) == first
    assert first.stat().st_mtime_ns == made
    assert entries(cache) == [first]
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert shared_library(source, (*QUICK, "-O1")) != first  # by content, flags included


def test_code_of_an_older_package_is_not_loaded(source, monkeypatch):
    """An entry is found by the content of its source; one found by a key, by the state of the package's files too."""
    older = source.replace("2.0", "3.0")
    assert older != source
    assert shared_library(older, QUICK) != shared_library(source, QUICK)
    monkeypatch.setattr(_compiler, "package_state", lambda: "an older version")
    first = _compiler.recalled_library("key", lambda: older, QUICK)
    assert _compiler.recalled_library("key", lambda: source, QUICK) == first
    monkeypatch.setattr(_compiler, "package_state", lambda: "this version")
    assert _compiler.recalled_library("key", lambda: source, QUICK) == shared_library(source, QUICK) != first


def corrupt(entry: Path) -> None:
    data = bytearray(entry.read_bytes())
    data[len(data) // 2] ^= 1
    entry.write_bytes(bytes(data))


def cut_short(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:100])


def open_to_all(entry: Path) -> None:
    entry.chmod(0o777)


def replace_by_link(entry: Path) -> None:
    other = entry.with_name("other")
    entry.rename(other)
    entry.symlink_to(other)


def give_away(entry: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    os.chown(entry, 54321, 54321)


@pytest.mark.parametrize("spoil", [corrupt, cut_short, open_to_all, replace_by_link, give_away])
def test_a_spoilt_entry_is_made_again_and_never_loaded(source, spoil):
    first = shared_library(source, QUICK)
    good = first.read_bytes()
    spoil(first)
    again = shared_library(source, QUICK)
    assert again.read_bytes() == good
    assert not again.is_symlink()
    assert again.stat().st_uid == os.getuid()
    assert stat.S_IMODE(again.stat().st_mode) == 0o700


def test_a_folder_that_others_can_write_is_not_used(cache, source, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    folder = private_folder("native")
    assert cache not in (folder, *folder.parents)
    assert is_private(folder)
    assert folder in shared_library(source, QUICK).parents


def test_a_folder_that_is_a_link_is_not_used(cache, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    cache.parent.mkdir()
    cache.symlink_to(elsewhere)
    assert private_folder("native") not in (cache, elsewhere)


def test_a_compiler_that_fails_leaves_nothing(cache):
    with pytest.raises(NoCompiler, match="failed"):
        shared_library("this is no C", QUICK)
    assert entries(cache) == []


def test_an_interruption_leaves_no_half_file(cache, tmp_path):
    """A compiler that never ends, and leaves scratch files, is interrupted."""
    slow = tmp_path / "cc"
    slow.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho half > step.so\necho x > "$TMPDIR/cc.s"\nsleep 60\n'
    )
    slow.chmod(0o700)
    code = "from steelyard.native.runtime._compiler import shared_library; shared_library('int x;')"
    environment = {**os.environ, "CC": str(slow)}
    process = subprocess.Popen(hearing([sys.executable, "-c", code]), env=environment, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not list(cache.glob(".building.draft-*/step.so")) and time.monotonic() < until:
        time.sleep(0.02)
    assert list(cache.glob(".building.draft-*/step.so"))
    process.send_signal(signal.SIGINT)
    assert process.wait(20) != 0
    assert entries(cache) == []


@pytest.fixture
def slow_compiler(tmp_path, monkeypatch) -> Path:
    """A compiler that never ends, and leaves its process number and scratch files."""
    path = tmp_path / "cc"
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit 0\necho $$ > {tmp_path}/pid\nsleep 60\n')
    path.chmod(0o700)
    monkeypatch.setenv("CC", str(path))
    return tmp_path / "pid"


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def await_until(reached, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not reached() and time.monotonic() < end:
        time.sleep(0.02)
    return reached()


def test_a_compiler_that_hangs_is_given_up_once_and_xla_runs_instead(cache, slow_compiler, monkeypatch):
    monkeypatch.setattr(_compiler, "TUNING", RuntimeTuning(longest_compilation=1.0))
    monkeypatch.setattr(_compiler, "_HANGING", set())
    with pytest.raises(NoCompiler, match="had not finished after 1 s"):
        shared_library("int x;")
    pid = int(slow_compiler.read_text())
    assert await_until(lambda: not runs(pid), 5.0)
    assert entries(cache) == []
    with pytest.raises(NoCompiler, match="not asked again"):
        shared_library("int y;")


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGKILL])
def test_a_compiler_ends_with_the_process_that_started_it(cache, slow_compiler, monkeypatch, kind):
    """However that ended; what it leaves in the cache goes with the next compilation."""
    code = "from steelyard.native.runtime._compiler import shared_library; shared_library('int x;')"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    assert await_until(lambda: slow_compiler.exists() and slow_compiler.read_text().strip() != "")
    pid = int(slow_compiler.read_text())
    process.send_signal(kind)
    process.wait(20)
    assert await_until(lambda: not runs(pid), 5.0)
    monkeypatch.delenv("CC")
    shared_library("int x;", QUICK)
    assert [path.suffix for path in entries(cache)] == [".so"]


def test_xla_keeps_its_programs_in_a_private_folder_only(tmp_path):
    """One that others can write is passed over: what lies there would be loaded and run."""
    cache = tmp_path / "cache"
    cache.mkdir()
    code = (
        "import jax\nfrom steelyard._jax import prepare_program\nprepare_program()\n"
        "print(jax.config.jax_compilation_cache_dir)"
    )
    used = []
    for mode in (0o700, 0o777):
        cache.chmod(mode)
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=os.environ | {"JAX_COMPILATION_CACHE_DIR": ""},
        )
        assert done.returncode == 0, done.stderr
        used.append(Path(done.stdout.strip()))
    assert used[0] == cache / "xla"
    assert stat.S_IMODE(used[0].stat().st_mode) == 0o700
    assert cache not in used[1].parents
    assert not used[1].exists(), "it was for that process only"


COMPILE = (
    "import jax\nfrom steelyard._jax import prepare_program\nprepare_program()\n"
    "print(jax.jit(lambda x: 3.0 * x + 1.0)(2.0))"
)


def test_half_an_entry_of_xlas_cache_is_replaced(tmp_path):
    """JAX would warn of it at each start: it leaves what is there as it is."""
    environment = os.environ | {"STEELYARD_CACHE": str(tmp_path), "JAX_COMPILATION_CACHE_DIR": ""}

    def compiled() -> str:
        done = subprocess.run([sys.executable, "-c", COMPILE], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == 7.0
        return done.stderr

    assert "cache entry" not in compiled()
    written = [path for path in (tmp_path / "xla").iterdir() if path.name.endswith("-cache")]
    assert written
    for path in written:
        path.write_bytes(path.read_bytes()[:40])
    assert "cache entry" in compiled()
    assert "cache entry" not in compiled()


def test_an_entry_of_xlas_cache_appears_whole_or_not_at_all(tmp_path):
    """A process that is killed while it writes leaves a draft, which the next start removes."""
    environment = os.environ | {"STEELYARD_CACHE": str(tmp_path), "JAX_COMPILATION_CACHE_DIR": ""}
    killed = COMPILE.replace(
        "prepare_program()\n", "prepare_program()\nimport os\nos.replace = lambda *_: os.abort()\n", 1
    )
    done = subprocess.run([sys.executable, "-c", killed], capture_output=True, env=environment)
    assert done.returncode < 0
    left = [path.name for path in (tmp_path / "xla").iterdir()]
    assert len(left) == 1, left
    assert left[0].startswith(".entry.draft-")
    subprocess.run([sys.executable, "-c", COMPILE], check=True, capture_output=True, env=environment)
    names = [path.name for path in (tmp_path / "xla").iterdir()]
    assert names
    assert all(name.endswith("-cache") for name in names), names


def test_a_loaded_function_outlives_what_it_came_from():
    call = load(emit(lambda x: 2.0 * x, (np.zeros(2),)), QUICK).call
    out = np.empty(2)
    for _ in range(3):
        call(np.array([1.0, 2.0]), out)
    np.testing.assert_array_equal(out, [2.0, 4.0])
