"""What does a running team look like? One page in a browser on this machine."""

from ._server import LivePage as LivePage
