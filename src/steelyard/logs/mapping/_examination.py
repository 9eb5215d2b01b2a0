"""A recording under examination: what is mapped so far, and what was found on the way."""

import dataclasses

import numpy as np

from steelyard.errors import BadInput
from steelyard.logs._recording import Recording
from steelyard.logs.mapping._compare import Track
from steelyard.logs.mapping._samples import convert, recorded, samples_of
from steelyard.logs.mapping._source import Finding, SignalSource, TimeSource, Verdict
from steelyard.logs.mapping._tuning import TUNING
from steelyard.logs.mapping._unit_names import multiple_of


class Examination:
    """Sources by signal, with the candidates that stand in for a refused one; each test changes them and reports."""

    def __init__(self, recording: Recording, candidates: list[SignalSource], times: dict[str, TimeSource]):
        self.recording = recording
        self.times = times
        self.sources: dict[str, SignalSource] = {}
        self.spare: dict[str, list[SignalSource]] = {}
        self.findings: list[Finding] = []
        self.questions: list[str] = []
        self.unit_questions: list[str] = []
        self._tracks: dict[SignalSource, Track | None] = {}
        for one in candidates:
            if one.signal in self.sources:
                self.spare.setdefault(one.signal, []).append(one)
            else:
                self.sources[one.signal] = one

    @property
    def robots(self) -> list[str]:
        """Names, `truth` left out."""
        return [name for name in dict.fromkeys(one.robot for one in self.sources.values()) if name != "truth"]

    def track(self, signal: str) -> Track | None:
        """The samples of a signal as it is mapped now; None where it is not mapped or too short."""
        one = self.sources.get(signal)
        return None if one is None else self.track_of(one)

    def track_of(self, one: SignalSource) -> Track | None:
        """The samples of one source, a unit that is not known yet taken as ours."""
        if one not in self._tracks:
            try:
                time, values = samples_of(self.recording, _as_ours(one), self.times)
            except BadInput:
                self._tracks[one] = None
                return None
            good = (np.abs(values) < TUNING.largest_sample).all(axis=1)
            self._tracks[one] = Track(time[good], values[good]) if good.sum() > 30 else None
        return self._tracks[one]

    def values_of(self, one: SignalSource) -> np.ndarray:
        """The finite rows (n, k) of one source without their times, a unit that is not known yet taken as ours.

        None where the source's columns are of several streams without times.
        """
        try:
            values = convert(_as_ours(one), recorded(self.recording, one, self.times))
        except BadInput:
            return np.zeros((0, len(one.source)))
        return values[np.isfinite(values).all(axis=1)]

    def forget(self) -> None:
        """Forgets converted samples, after a clock was changed."""
        self._tracks.clear()

    def change(self, signal: str, verdict: Verdict, sentence: str, **changes) -> None:
        """Changes a source and records why."""
        if "delay" in changes:  # a delay is measured on what is mapped now, which may have one already
            changes["delay"] = self.sources[signal].delay + changes["delay"]
        self.sources[signal] = self.sources[signal].because(sentence, **changes)
        self.report(signal, verdict, sentence)

    def refuse(self, signal: str, sentence: str) -> None:
        """Takes a source away; the next candidate takes its place, where there is one."""
        self.findings = [one for one in self.findings if one.subject != signal or one.verdict == "refused"]
        self.report(signal, "refused", f"{', '.join(self.sources[signal].source)}: {sentence}")
        del self.sources[signal]
        if self.spare.get(signal):
            self.sources[signal] = self.spare[signal].pop(0)

    def report(self, subject: str, verdict: Verdict, sentence: str) -> None:
        """Records a finding."""
        self.findings.append(Finding(subject, verdict, sentence))

    def ask(self, question: str, open_unit: bool = False) -> None:
        """Records what only the owner of the files can answer; `open_unit` where a unit is taken as it is meanwhile."""
        if question not in self.questions:
            self.questions.append(question)
            self.unit_questions += [question] * open_unit

    def same_stream(self, signal: str) -> list[str]:
        """Other signals of the same robot that come from the same stream."""
        one = self.sources.get(signal)
        return [
            name
            for name, other in self.sources.items()
            if one is not None and name != signal and other.robot == one.robot and set(other.streams) & set(one.streams)
        ]


def _as_ours(one: SignalSource) -> SignalSource:
    unit = "1" if multiple_of(one.unit) is None else one.unit
    return dataclasses.replace(one, unit=unit, order={"?": "wxyz", "?3": "rotvec"}.get(one.order or "", one.order))
