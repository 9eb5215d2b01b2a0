"""A text file in blocks of whole lines, whatever its encoding."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from steelyard.logs.formats._source import Source
from steelyard.logs.formats._tuning import TUNING


@dataclass(frozen=True)
class Block:
    """Some whole lines."""

    raw: bytes
    encoding: str
    start: int | None
    """Where they are in the file; None where the file's own bytes are others (UTF-16)."""

    def lines(self) -> list[str]:
        """The lines without their ends."""
        text = self.raw.decode(self.encoding, "replace")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.removesuffix("\n").split("\n")


def blocks_of(source: Source) -> Iterator[Block]:
    """The file from its beginning to its end, some megabytes at a time."""
    encoding = _encoding(source)
    wide = encoding.startswith("utf-16")
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    position, start, rest = 0, 0, b""
    while part := source.read(position, TUNING.text_block):
        position += len(part)
        rest += decoder.decode(part).encode("utf-8", "replace") if wide else part
        end = rest.rfind(b"\n") + 1 or rest.rfind(b"\r", 0, -1) + 1  # a return at the end may be half of an end of line
        if end:
            yield Block(rest[:end], "utf-8" if wide else encoding, None if wide else start)
            start, rest = start + end, rest[end:]
        if len(rest) > TUNING.longest_line:
            raise source.bad(
                f"a line is longer than {TUNING.longest_line} characters", "it is no table; check the file"
            )
    if wide:
        rest += decoder.decode(b"", True).encode("utf-8", "replace")
    if rest:
        yield Block(rest, "utf-8" if wide else encoding, None if wide else start)


def lines_of(source: Source) -> Iterator[str]:
    """The file's lines."""
    for block in blocks_of(source):
        yield from block.lines()


def _encoding(source: Source) -> str:
    head = source.read(0, 1 << 16)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if b"\0" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if odd > 0.4 * len(head) / 2 and even == 0:
            return "utf-16-le"
        if even > 0.4 * len(head) / 2 and odd == 0:
            return "utf-16-be"
        raise source.bad("it is neither text nor a known binary log", "see docs/LOGS.md for the formats")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        printable = sum(byte >= 32 or byte in b"\t\r\n\f" for byte in head)
        if printable < 0.98 * len(head):
            raise source.bad("it is neither text nor a known binary log", "see docs/LOGS.md for the formats") from None
        return "latin-1"
    return "utf-8"
