"""A value that its key does not allow."""

from steelyard.errors import BadInput


class BadValueError(BadInput, ValueError):
    """A value that its key does not allow. A `ValueError` too, so that msgspec adds the table it stands in."""
