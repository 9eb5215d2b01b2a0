"""Serves the page and, every second, what is new: on this machine only, with the standard library's server."""

import json
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any

from steelyard.errors import BadInput
from steelyard.live.page._history import MassHistory
from steelyard.live.page._tuning import TUNING
from steelyard.live.trials import HEADINGS, WatchedTeam, elapsed_of, live_rows
from steelyard.report import Markup, asset, content_policy, embeddable, fill

_HOST = "127.0.0.1"


class LivePage:
    """A page at `address` that follows a team as long as this object is open; `show` tells it what is new."""

    def __init__(self, team: str, robots: tuple[str, ...], port: int):
        if not 0 <= port <= 65535:
            raise BadInput(f"--page is {port}; give a port from 1 to 65535, or 0 for any free one.")
        self._robots, self._history = robots, MassHistory(robots)
        self._made, self._state = -TUNING.state_interval, b"{}"
        scripts = [embeddable(source) for source in _scripts()]
        page = fill(
            resources.files("steelyard.live.page").joinpath("page.html").read_text(encoding="utf-8"),
            team=team,
            style=Markup(asset("page.css")),
            headings=[fill("<th scope=col>$name</th>", name=name) for name in HEADINGS],
            scripts=[fill("<script>$source</script>\n", source=source) for source in scripts],
        )
        policy = f"{content_policy(scripts)}; connect-src 'self'"
        handler = _handler(page.encode("utf-8"), lambda: self._state, policy)
        try:
            self._server = ThreadingHTTPServer((_HOST, port), handler)
        except OSError as error:
            raise BadInput(
                f"--page {port}: this port cannot be had ({error.strerror}); choose another, or 0 for any free one."
            ) from None
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    @property
    def address(self) -> str:
        """Where a browser on this machine finds it."""
        return f"http://{_HOST}:{self._server.server_port}/"

    def show(self, view: WatchedTeam) -> None:
        """Takes in what is new."""
        self._history.add(view)
        if time.monotonic() - self._made >= TUNING.state_interval:
            self._made, self._state = time.monotonic(), json.dumps(self._seen(view), allow_nan=False).encode()

    def _seen(self, view: WatchedTeam) -> dict[str, Any]:
        last = view.events[-TUNING.events_listed :]
        return {
            "elapsed": round(elapsed_of(view), 1),
            "rows": live_rows(view, self._robots),
            "events": [f"{one.time:.2f} s, {one.robot}: {one.what}" for one in last[::-1]],
            "figure": self._history.figure(),
        }

    def close(self) -> None:
        """Ends the server; an open page says so."""
        self._server.shutdown()
        self._server.server_close()


def _scripts() -> list[str]:
    own = resources.files("steelyard.live.page").joinpath("live.js").read_text(encoding="utf-8")
    return [asset("draw.js"), asset("plot.js"), own]


def _handler(page: bytes, state: Callable[[], bytes], policy: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Two addresses: the page and its state."""

        def do_GET(self) -> None:
            """Refuses other names for this machine, by which a page from elsewhere could read along."""
            host = self.headers.get("Host", "").rpartition(":")[0]
            if host not in (_HOST, "localhost"):
                self.send_error(HTTPStatus.FORBIDDEN)
            elif self.path == "/":
                self._answer(page, "text/html; charset=utf-8")
            elif self.path == "/state":
                self._answer(state(), "application/json")
            else:
                self.send_error(HTTPStatus.NOT_FOUND)

        def _answer(self, body: bytes, kind: str) -> None:
            self.send_response(HTTPStatus.OK)
            for name, value in (
                ("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ):  # fmt: skip
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the terminal is the table's."""

    return Handler
