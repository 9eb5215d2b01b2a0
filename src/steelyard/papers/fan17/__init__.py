"""A rigid load in space, identified by a team in which each robot knows its own frame only [fan17]."""

from ._reproduce import fan17_work as fan17_work
from ._reproduce import reproduce_fan17 as reproduce_fan17
