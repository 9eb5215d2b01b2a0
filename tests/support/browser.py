"""A real browser, headless: what a page becomes once its scripts have run."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=10000",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


def find() -> str:
    """The browser's path. Without one a test is skipped, but fails on CI, where one must be."""
    asked = os.environ.get("STEELYARD_BROWSER")
    found = next(filter(None, map(shutil.which, (asked,) if asked else NAMES)), None)
    if found is None:
        complaint = f"no browser: install one of {', '.join(NAMES)} or set STEELYARD_BROWSER"
        if os.environ.get("CI") == "true":
            pytest.fail(complaint)
        pytest.skip(complaint)
    return found


def dom(page: Path | str, *options: str) -> str:
    """The elements of a page, a file or an address, as text, after ten (virtual) seconds."""
    program, address = find(), page if isinstance(page, str) else page.resolve().as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        done = subprocess.run(
            [program, *OPTIONS, *options, f"--user-data-dir={profile}", "--dump-dom", address],
            capture_output=True,
            timeout=90,
        )
    text = done.stdout.decode("utf-8", errors="replace")
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    assert "</html>" in text, done.stderr.decode(errors="replace")[-2000:]
    return text
