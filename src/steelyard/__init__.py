"""Steelyard weighs what robots carry, and what they are, while they move.

The rooms, each importing only from those before it: `geometry`, `models`, `estimators`, `information`, `native`,
`monitor`, `team`, `worlds`, `logs`, `problems`, `planning`, `report`, `papers`, `live`, `bench`, `cli`.
Importing `steelyard` itself loads none of them: ask for the room you need.
"""

__version__ = "0.1.0"
