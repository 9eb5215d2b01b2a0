"""What mkdocs makes from the code, so that it cannot drift: reference pages, figures of the concepts, equations."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import figures
import mathml
import reference
from mkdocs.structure.files import File

import steelyard
from steelyard.cli._completion import every_help

COMMANDS = """# Commands

`steelyard COMMAND --help`, as this version prints it. [JSON and exit codes](json.md).
"""
NAMES = "# Python names\n\n`import steelyard as sy`: these names are stable.\n"


def on_files(files, config):
    """Adds the generated pages and figures before mkdocs reads any."""
    pages = {
        "reference/commands.md": commands(),
        "reference/names.md": names(),
        "reference/configuration.md": reference.configuration(),
        "reference/signals.md": reference.signals(),
        "reference/mapping.md": reference.mapping(),
        "reference/json.md": reference.answer(),
        "reference/licences.md": reference.licences(),
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for asset in ("site.css", "iframe-worker.js"):
        text = (Path(__file__).parent / asset).read_text(encoding="utf-8")
        files.append(File.generated(config, f"assets/{asset}", content=text))
    folder = Path(config.site_dir).parent / "figures"
    for picture in figures.make(folder):
        files.append(File.generated(config, f"figures/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Draws the equations, and puts generated code in its place."""
    return mathml.with_equations(markdown.replace("<!-- generated: fall -->", fall()))


def fall() -> str:
    """The C of a small step."""
    import numpy as np

    from steelyard.native import emit

    code = emit(lambda speed, dt: speed + 9.81 * dt, (np.float64(0.0), np.float64(0.01)), "fall")
    return f"```c\n{code.body.strip()}\n```"


def commands() -> str:
    """The help of every command, and of its parts."""
    texts = (
        f"\n{'#' * (1 + len(one.words))} {' '.join(one.words)}\n\n```text\n{one.text}```\n" for one in every_help()
    )
    return COMMANDS + "".join(texts)


def names() -> str:
    """Where mkdocstrings puts each public name."""
    return NAMES + "".join(f"\n::: steelyard.{name}\n" for name in sorted(steelyard.__all__) if name[0] != "_")
