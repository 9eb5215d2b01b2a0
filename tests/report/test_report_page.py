"""The page as a file: whole, self-contained, and deaf to what a log may say."""

import dataclasses
import datetime
import html
import json
import re

import numpy as np
import pytest

import steelyard
from steelyard.errors import BadInput
from steelyard.problems import Innovations
from steelyard.report import Section, fill, sections, write_page, write_report
from steelyard.report._tuning import LAYOUT

DATA = re.compile(r'<script type="application/json" class="plot-data">(.*?)</script>', re.S)


@pytest.fixture(scope="module")
def text(identification, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(identification, path)
    return path.read_text(encoding="utf-8")


def figures(text: str) -> list[dict]:
    return [json.loads(data) for data in DATA.findall(text)]


def test_it_has_every_section_in_order(text):
    titles = re.findall(r'<h2 id="section-\d+">(.*?)</h2>', text)
    assert titles == ["The answer", "Numbers", "Over time", "Events", "Innovations", "Notes", "Settings"]


def test_the_scripts_are_inlined_exactly_once_and_the_page_is_small(text):
    assert text.count("const plotInPlane =") == text.count("const plotInSpace =") == 1
    assert len(re.findall(r"<script>", text)) == 4
    assert len(text) < 1_500_000


def test_the_answer_and_its_picture_come_before_any_table(text):
    assert "Mass of r1: 2.010 ± 0.020 kg (95 %); 1 change noticed." in text
    assert text.index('class="headline"') < text.index('class="plot"') < text.index('class="verdict"')
    assert text.index('class="verdict"') < text.index("<table")


def test_what_is_not_known_is_said_with_its_reason(identification, text):
    for estimate in identification.robots["r1"].values():
        if estimate.status != "known":
            assert html.escape(estimate.reason) in text


def test_what_would_help_stands_beside_what_is_not_known(identification):
    other = dataclasses.replace(identification, problem="multirotor")
    page = "".join(str(section.body) for section in sections(other))
    assert "drag (r1)" in page
    assert "Drag shows in faster flight." in page


def test_nothing_is_loaded_from_elsewhere(text):
    markup = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert not re.findall(r"https?:|@import|url\(", markup)
    assert set(re.findall(r'(?:src|href)="([^"]*)"', markup)) == {"data:,"}
    assert "default-src &#x27;none&#x27;" in markup


def test_figures_are_computed_on_all_samples(text):
    assert "r1: RMS error 0.01 kg; the band holds the truth in 100.0 % of 4901 samples." in text
    assert "r1: RMS error 0.00173 m; the band holds the truth in 0.0 % of 5001 samples." in text
    rows = dict(re.findall(r'<tr><th scope="row">(position/\w)</th><td class="figure">(\S+ %)', text))
    assert rows == {"position/x": "95.0 %", "position/y": "0.0 %", "position/z": "100.0 %"}
    assert "silent" in text


def test_plots_are_light_and_valid(text):
    found = figures(text)
    assert [len(figure["data"]) for figure in found] == [3, 9, 3, 1]
    for figure in found:
        for trace in figure["data"]:
            assert len(trace["x"]) == len(trace["y"])
            assert len(trace["x"]) <= (2 * LAYOUT.most_points + 2 if trace["kind"] == "band" else LAYOUT.most_points)
            assert trace.get("panel", 0) < len(figure["layout"]["panels"])


def test_every_colour_is_defined_by_the_page_in_light_and_in_dark(text):
    style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
    used = set(re.findall(r"var\((--[\w-]+)\)", " ".join([style, *DATA.findall(text)])))
    assert "--series-1" in used
    light, dark = style.split("@media screen and (prefers-color-scheme: dark)")
    for name in used:
        assert f"{name}:" in light
        assert f"{name}:" in dark


def test_events_are_lines_with_labels_on_the_plot_of_their_quantity(text):
    mass, com, *_ = figures(text)
    assert [mark["x"] for mark in mass["layout"]["marks"]] == [10.0, 20.0, 21.0]
    labels = [mark["label"] for mark in mass["layout"]["marks"] if "label" in mark]
    assert labels == ["+0.25", "fault"]  # 21 s has no room for its own
    assert [mark["faint"] for mark in com["layout"]["marks"]] == [True, True, True]


def test_foot_names_version_and_date(tmp_path):
    made = datetime.datetime(2025, 1, 2, 3, 4, tzinfo=datetime.UTC)
    write_page("T", [Section("A", fill("<p>$x</p>", x="1 < 2"))], tmp_path / "p.html", created=made)
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert f"steelyard {steelyard.__version__} on" in text
    assert "2025-01-02 03:04 UTC" in text
    assert "<p>1 &lt; 2</p>" in text
    assert "<script" not in text


def test_an_evil_log_stays_inert(evil, tmp_path):
    write_report(evil, tmp_path / "evil.html")
    text = (tmp_path / "evil.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img" not in re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert html.escape("<script>alert(1)</script>") in text
    assert len(DATA.findall(text)) == 4
    names = {trace.get("name") for figure in figures(text) for trace in figure["data"]}
    assert "<script>alert(1)</script>" in names  # JSON, which the page writes as text


def test_the_least_identification_makes_a_report(bare, tmp_path):
    write_report(bare, tmp_path / "bare.html")
    text = (tmp_path / "bare.html").read_text(encoding="utf-8")
    for sentence in (
        "No change and no fault was noticed.",
        "recorded no history",
        "recorded no innovations",
        "recorded none",
    ):
        assert sentence in text
    assert "const plotInPlane" not in text


def test_a_series_that_was_never_known_makes_no_plot(identification):
    series = identification.series["r1"]["mass"]
    never = dataclasses.replace(series, value=np.full(5001, np.nan), std=np.full(5001, np.nan))
    _, _, over_time, *_ = sections(dataclasses.replace(identification, series={"r1": {"mass": never}}))
    assert "recorded no history" in over_time.body


def test_a_channel_that_expected_nothing_is_silent_rather_than_infinite(identification):
    flat = Innovations(np.arange(3.0), ["a"], np.ones((3, 1)), np.zeros((3, 1)))
    body = sections(dataclasses.replace(identification, innovations={"r1": flat}))[4].body
    assert "silent" in body
    assert "nan" not in body.lower().replace("nanos", "")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError])
def test_an_interruption_leaves_the_old_file_and_no_other(bare, tmp_path, monkeypatch, stop):
    path = tmp_path / "report.html"
    path.write_text("old")

    def half(draft, data):
        with open(draft, "wb") as file:
            file.write(data[: len(data) // 2])
        raise stop

    monkeypatch.setattr("pathlib.Path.write_bytes", half)
    with pytest.raises(BadInput if stop is OSError else stop):  # a full disk is a sentence, an interruption is not
        write_report(bare, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
