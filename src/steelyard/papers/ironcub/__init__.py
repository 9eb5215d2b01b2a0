"""Thrust of every engine of a jet-powered humanoid: the paper's filter, its halves, and ours."""

from ._reproduce import reproduce as reproduce
from ._reproduce import work as work
