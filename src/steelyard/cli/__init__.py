"""The command line: parse, call, print. One file a command; nothing heavy is imported before it is needed."""

from ._main import main as main
