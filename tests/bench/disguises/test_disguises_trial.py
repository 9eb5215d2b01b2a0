"""`steelyard trial disguises`: what it counts, on one hold."""

from steelyard.bench.disguises import run_disguises, table_of


def test_disguised_holds_are_right_or_asked_about():
    runs = [*run_disguises(1, only="late", kinds=("hold",)), *run_disguises(1, only="header", kinds=("hold",))]
    assert {run.verdict for run in runs} == {"right", "asked"}
    rows = {row.disguise: row for row in table_of(runs)}
    assert rows["no header"].asked == 1
    assert "Which column is which signal?" in rows["no header"].how
    late = rows["40 ms late"]
    assert late.delay_rms is not None
    assert late.delay_rms < 0.002  # s: a fifth of a row at 100 Hz
    assert late.delay_z is not None
    assert late.delay_z < 4.0  # deviations: by chance once in 16,000
