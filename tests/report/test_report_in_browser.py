"""The page as people see it: drawn by a real browser that has no network."""

import html
import json
import re
from pathlib import Path

import browser
import pytest

from steelyard.report import write_report

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
SCRIPTS = re.compile(r"<script\b.*?</script>", re.S)
REPORTER = """<script>
parent.postMessage({
  inner: innerWidth,
  scroll: document.documentElement.scrollWidth,
  ink: getComputedStyle(document.querySelector(".trace.line path")).stroke,
  plots: [...document.querySelectorAll(".plot")].map((plot) => plot.querySelector("svg").clientWidth),
}, "*");
</script></body>"""
ALARM = """<script>window.alert = () => document.documentElement.setAttribute("data-alerted", "1");</script>"""
FRAME = """<!DOCTYPE html><html><body><pre id="said"></pre>
<script>
const write = (said) => {{ document.getElementById("said").textContent = JSON.stringify(said.data); }};
addEventListener("message", write);
</script>
<iframe src="{page}" style="border:0;width:{width}px;height:4000px"></iframe></body></html>"""


@pytest.fixture(scope="module")
def report(identification, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("browser") / "report.html"
    write_report(identification, path)
    return path


@pytest.fixture(scope="module")
def drawn(report) -> str:
    return browser.dom(report)


def visible(text: str) -> str:
    """Less scripts and styles."""
    return re.sub(r"<style\b.*?</style>", "", SCRIPTS.sub("", text), flags=re.S)


def test_every_plot_draws_its_traces(drawn):
    text = visible(drawn)
    # Mass: band, truth, line. Centre of mass: the same for three axes. Innovations: four channels, one of them silent.
    assert len(re.findall(r'class="trace band"', text)) == 1 + 3
    lines = re.findall(r'class="trace line"><path d="([^"]*)"', text)
    assert len(lines) == 2 + 6 + 4
    assert [line == "" for line in lines] == [False] * 11 + [True]


def test_no_number_went_wrong(drawn):
    text = visible(drawn)
    assert "The mass is known to 1&nbsp;%." in text
    assert not re.search(r"\b(NaN|undefined|Infinity)\b|\[object", text)


@pytest.mark.parametrize(("scheme", "ink"), [("1", "rgb(27, 36, 48)"), ("0", "rgb(231, 234, 238)")])
def test_plots_follow_a_light_and_a_dark_screen(report, tmp_path, scheme, ink):
    said = reported(report, tmp_path, 820, f"--blink-settings=preferredColorScheme={scheme}")
    assert said["ink"] == ink  # the first line is the truth, in the colour of the text


def test_nothing_is_fetched(report, drawn):
    # The browser resolves no host, and the drawn page asks for none.
    assert not re.findall(r'(?:src|href|action)="\s*(?:https?:|//)', visible(drawn))
    assert "default-src 'none'" in drawn


def reported(report, tmp_path, width, *options):
    """What a page says of itself in a frame of this width: a headless window cannot be narrower than 500 px."""
    copy, frame = tmp_path / "copy.html", tmp_path / "frame.html"
    text = POLICY.sub("", report.read_text(encoding="utf-8"))
    copy.write_text(text.replace("</body>", REPORTER), encoding="utf-8")
    frame.write_text(FRAME.format(page=copy.as_uri(), width=width), encoding="utf-8")
    text = browser.dom(frame, "--window-size=1000,4200", *options)
    return json.loads(html.unescape(re.search(r'<pre id="said">(.*?)</pre>', text, re.S).group(1)))


@pytest.mark.parametrize("width", [390, 820])
def test_a_narrow_screen_needs_no_sideways_scrolling(report, tmp_path, width):
    said = reported(report, tmp_path, width)
    assert said["inner"] == width
    assert said["scroll"] <= width
    assert len(said["plots"]) == 4
    assert max(said["plots"]) < width


def test_an_evil_name_is_drawn_as_text(evil, tmp_path):
    path = tmp_path / "evil.html"
    write_report(evil, path)
    # Without the policy too: the page must not need it.
    text = POLICY.sub("", path.read_text(encoding="utf-8"))
    path.write_text(text.replace("<head>", f"<head>{ALARM}", 1), encoding="utf-8")
    text = browser.dom(path)
    assert "data-alerted=" not in re.match(r".*?<head>", text, re.S).group(0)
    legend = re.findall(r"<button[^>]*>.*?<span>(.*?)</span></button>", text, re.S)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in legend


def test_without_a_browser_ci_fails_and_a_laptop_skips(monkeypatch):
    monkeypatch.setenv("STEELYARD_BROWSER", "no-such-browser")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception):
        browser.find()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception):
        browser.find()
