"""`steelyard completion SHELL`: a script with which a shell completes commands, options and problems."""

import contextlib
import dataclasses
import importlib
import io
import os
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import tyro

from steelyard.cli._parse import parse


@dataclasses.dataclass(frozen=True)
class Completion:
    """Prints a script with which a shell completes commands and options; save it where the shell looks for it."""

    shell: tyro.conf.Positional[Annotated[Literal["bash", "zsh", "fish"], tyro.conf.arg(metavar="SHELL")]]
    """bash: ~/.local/share/bash-completion/completions/steelyard; zsh: _steelyard in a folder of $fpath; fish:
    ~/.config/fish/completions/steelyard.fish."""


@dataclasses.dataclass(frozen=True)
class Help:
    """What `--help` prints for one command or part of a command."""

    words: tuple[str, ...]
    """The command and, where it has parts, the part: ("simulate", "wrist")."""
    text: str

    @property
    def parts(self) -> tuple[str, ...]:
        """What the command's first word may be, where it has parts."""
        if "[OPTIONS]\n" not in self.text:
            return ()
        return tuple(re.findall(r"^  ([a-z0-9][a-z0-9-]*)  ", self.text, re.MULTILINE))

    @property
    def options(self) -> tuple[str, ...]:
        """Every long option, in the order of the help."""
        listed = re.findall(r"^\W*(?:-\w(?: \S+)?, )?(--[a-z][a-z-]*)", self.text, re.MULTILINE)
        return tuple(dict.fromkeys([*listed, "--help"]))


def run(arguments: Sequence[str]) -> None:
    """Parses, collects every command's help, prints the script."""
    command = parse(Completion, arguments, "completion")
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[command.shell](list(every_help())))


def every_help() -> Iterator[Help]:
    """The help of every command and of its parts, as this version prints it."""
    from steelyard.cli._main import COMMANDS

    extra = {"team": ("keys",), "bench": ("peers", "gpu")}
    for name in COMMANDS:
        found = _help(name)
        yield found
        for part in (*found.parts, *extra.get(name, ())):
            yield _help(name, part)


def _help(*words: str) -> Help:
    printed, before = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "110"
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            importlib.import_module(f"steelyard.cli._{words[0]}").run([*words[1:], "--help"])
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before
    return Help(words, re.sub(r"\x1b\[[0-9;]*m", "", printed.getvalue()))


def _problems() -> str:
    from steelyard.problems import PROBLEMS

    return " ".join(PROBLEMS)


def _first_words(helps: Sequence[Help]) -> dict[str, str]:
    """What may come after the program's name, and after a command that has parts."""
    below: dict[str, list[str]] = {}
    for one in helps:
        below.setdefault(" ".join(one.words[:-1]), []).append(one.words[-1])
    return {path: " ".join(words) for path, words in below.items()}


def _bash(helps: Sequence[Help], prelude: str = "") -> str:
    words = _first_words(helps)
    parts = "\n".join(f'    "{path}") words="{listed}" ;;' for path, listed in words.items() if path)
    options = "\n".join(f'    "{" ".join(one.words)}") options="{" ".join(one.options)}" ;;' for one in helps)
    return f"""{prelude}_steelyard() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="${{COMP_WORDS[1]}}" part="${{COMP_WORDS[2]}}" words="" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{words[""]} --help --version" -- "$current"))
    return
  fi
  if [ "$previous" = "--as" ]; then
    COMPREPLY=($(compgen -W "{_problems()}" -- "$current") $(compgen -f -X '!*.py' -- "$current"))
    return
  fi
  case "$command" in
{parts}
  esac
  case "$command $part" in
{options}
    *) case "$command" in
{options}
    esac ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      COMPREPLY=($(compgen -f -- "$current"))
      if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY+=($(compgen -W "$words" -- "$current")); fi ;;
  esac
}}
complete -o filenames -F _steelyard steelyard"""


def _zsh(helps: Sequence[Help]) -> str:
    return _bash(helps, "#compdef steelyard\nautoload -U +X bashcompinit && bashcompinit\n")


def _fish(helps: Sequence[Help]) -> str:
    words = _first_words(helps)
    lines = [f'complete -c steelyard -n __fish_use_subcommand -f -a "{words[""]}"']
    for path, listed in words.items():
        if path:
            lines.append(f'complete -c steelyard -n "__fish_seen_subcommand_from {path}" -a "{listed}"')
    for one in helps:
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in one.words)
        for option in one.options:
            values = f' -x -a "{_problems()}"' if option == "--as" else ""
            lines.append(f'complete -c steelyard -n "{seen}" -l {option[2:]}{values}')
    return "\n".join(lines)
