"""The report of every problem in a real browser: answer and picture first, nothing fetched, small, labelled."""

import re
from pathlib import Path

import browser
import pytest

import steelyard as sy
from steelyard.config import Config, parse
from steelyard.worlds import JetsScenario, jets_config

MOST_BYTES = 1_500_000
LOADS = ("rigid-body", "spatial-load")
SCENARIOS = {
    "multirotor": ("multirotor", {"duration": 8.0, "profile": "step-down"}, "mass of r1"),
    "rigid-body": ("wrist", {"duration": 4.0}, "The load in the sensor's frame"),
    "spatial-load": (
        "spatial",
        {"robots": 3, "duration": 8.0, "sensors": "realistic"},
        "The load in the first robot's frame",
    ),
    "planar-load": ("planar", {"duration": 8.0}, "The load from above"),
    "jets": ("jets", {"duration": 4.0}, "thrust of r1's engines"),
}
"""Scenario, its options, and the caption of the first picture."""


@pytest.fixture(scope="module", params=SCENARIOS)
def report(request, tmp_path_factory) -> tuple[str, Path, str]:
    """The problem, its report, and what a browser makes of it on a dark screen."""
    scenario, options, _ = SCENARIOS[request.param]
    path = tmp_path_factory.mktemp("reports") / f"{request.param}.html"
    log = sy.simulate(scenario, seed=1, **options)
    config = parse(jets_config(JetsScenario(**options)), Config, "robot.toml") if request.param == "jets" else None
    sy.identify(log, request.param, config).write_report(path)
    return request.param, path, browser.dom(path, "--blink-settings=preferredColorScheme=0")


def test_the_answer_and_its_picture_come_before_any_table(report):
    problem, _, page = report
    body = page.partition("<main>")[2]
    headline, picture, table = (body.index(mark) for mark in ('class="headline"', "<svg", "<table"))
    assert headline < picture < table
    assert SCENARIOS[problem][2] in re.findall(r"<figcaption>(.*?)</figcaption>", body)[0]
    assert "±" in re.search(r'class="headline">(.*?)</p>', body, re.S)[1]


def test_it_is_one_small_file_without_an_address(report):
    _, path, page = report
    assert path.stat().st_size < MOST_BYTES
    assert not re.findall(r'(?:src|href|action)="\s*(?:https?:|//)', page)


def test_nothing_is_wrong_in_what_people_read(report):
    text = re.sub(r"<(script|style)\b.*?</\1>", "", report[2], flags=re.S)
    assert not re.search(r"\b(NaN|undefined|Infinity|None)\b|\[object", text)


def test_robots_stand_side_by_side_and_poses_are_folded(report):
    problem, _, page = report
    body = page.partition("<main>")[2]
    first = body[body.index("<table") : body.index("</table>")]
    robots = re.findall(r'<th scope="col">(r\d)</th>', first)
    assert len(robots) == {"spatial-load": 3, "planar-load": 4}.get(problem, 1)
    assert "pose/" not in first
    assert "contact/" not in first
    if problem in ("spatial-load", "planar-load"):
        assert re.search(r"<details><summary>(Poses|Contacts) of neighbours", body)


def test_a_load_in_space_has_a_button_for_its_urdf(report):
    problem, _, page = report
    assert ('data-copies="urdf"' in page) == (problem in LOADS)
    assert ("&lt;robot name=" in page) == (problem in LOADS)


def test_pictures_tables_and_buttons_have_names_and_can_be_reached(report):
    _, _, page = report
    body = page.partition("<main>")[2].partition("<script")[0]
    assert '<html lang="en"' in page
    assert all(re.search(r'aria-label="[^"]+"', one) for one in re.findall(r'<[^>]*role="(?:img|region)"[^>]*>', body))
    assert all('tabindex="0"' in one for one in re.findall(r'<div class="scroll"[^>]*>', body))
    assert all(re.sub(r"<[^>]*>", "", one).strip() for one in re.findall(r"<button[^>]*>(.*?)</button>", body, re.S))
    assert re.search(r'class="canvas[^"]*"[^>]*tabindex="0"', page)
