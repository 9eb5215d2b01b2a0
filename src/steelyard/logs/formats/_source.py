"""Bytes of a log file, decompressed where it is a .gz or .zst, never more of them than the limits allow."""

import os
import weakref
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steelyard.errors import BadInput
from steelyard.logs._paths import existing_file
from steelyard.logs._recording import Limits
from steelyard.logs.formats._tuning import TUNING


class EmptyFile(BadInput):
    """A file without a byte."""


class Source:
    """A file's bytes: read from the disk when asked for, or held in memory where they were compressed."""

    def __init__(self, path: str | Path, limits: Limits):
        self.path, self.limits = str(path), limits
        file = existing_file(path)
        try:
            self._file = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            weakref.finalize(self, os.close, self._file)  # streams may be decoded long after the file was opened
            head = os.read(self._file, 8)
            self.size = os.fstat(self._file).st_size
        except OSError as error:
            raise BadInput(f"{path} cannot be read ({error.strerror}); check its permissions.") from None
        if not head:
            raise EmptyFile(f"{path} is empty; record it again.")
        self.name = file.name
        self.held: bytes | None = None
        """The whole content, where it was compressed."""
        kind = "gzip" if head.startswith(b"\x1f\x8b") else "zstd" if head.startswith(b"\x28\xb5\x2f\xfd") else ""
        if file.suffix.lower() in _FORMATS:
            self.name = file.stem
            if not kind:
                raise BadInput(
                    f"{path} is not a whole {_FORMATS[file.suffix.lower()]} file; copy or compress it again."
                )
        if kind:
            self.held = expanded(self.path, self._blocks(), kind, limits)
            self.size = len(self.held)

    def read(self, start: int, length: int) -> bytes:
        """The bytes from `start`, at most `length` of them."""
        if length > self.limits.memory:
            raise self.limits.too_large(self.path, "a record of it")
        if self.held is not None:
            return self.held[start : start + length]
        parts, rest = [], length
        os.lseek(self._file, min(start, self.size), os.SEEK_SET)
        while rest > 0:  # one call reads 2 GB at most
            part = os.read(self._file, rest)
            if not part:
                break
            parts.append(part)
            rest -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _blocks(self) -> Iterator[bytes]:
        os.lseek(self._file, 0, os.SEEK_SET)
        while block := os.read(self._file, TUNING.file_block):
            yield block

    @property
    def stem(self) -> str:
        """The file's name without endings that formats have."""
        return Path(self.name).stem if "." in self.name else self.name

    def bad(self, what: str, remedy: str = "record or copy it again") -> BadInput:
        """The sentence for this file; what it quotes of a damaged one stays on one line."""
        what = "".join(c if c.isprintable() else "?" for c in what)
        return BadInput(f"{self.path}: {what}; {remedy}.")


_FORMATS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}


def expanded(path: str, blocks: Iterator[bytes], kind: str, limits: Limits) -> bytes:
    """Decompressed bytes; stops as soon as there are more than the limits allow."""
    tool = _decompressor(path, kind)
    errors = (zlib.error, EOFError, ValueError, *_zstd_errors(kind))
    out, taken = bytearray(), 0
    try:
        for block in blocks:
            taken += len(block)
            while block or not tool.needs_input:
                part = tool.feed(block)
                out += part
                block = b""
                if len(out) > limits.memory:
                    raise limits.too_large(path, "its decompressed content")
                if len(out) > TUNING.free_expansion and len(out) > limits.ratio * taken:
                    raise limits.too_large(path, f"its content, which expands more than {limits.ratio} times,")
                if not part:
                    break
        whole = tool.finished
    except errors:
        whole = False
    if not whole:
        raise BadInput(f"{path} is not a whole {kind} file; copy or compress it again.")
    return bytes(out)


class _Gzip:
    """Members of a gzip file, one after another."""

    def __init__(self) -> None:
        self._tool, self._rest, self.finished = zlib.decompressobj(31), b"", False

    @property
    def needs_input(self) -> bool:
        return not self._rest

    def feed(self, block: bytes) -> bytes:
        data = self._rest + block
        if self._tool.eof:
            data = data.lstrip(b"\0")  # padding that some tools append
            if not data:
                self._rest = b""
                return b""
            self._tool = zlib.decompressobj(31)
        part = self._tool.decompress(data, 8 * TUNING.file_block)
        self._rest = self._tool.unused_data if self._tool.eof else self._tool.unconsumed_tail
        self.finished = self._tool.eof
        return part or (self.feed(b"") if self._rest and self.finished else b"")


class _Zstd:
    """Frames of a zstd file, one after another."""

    def __init__(self, module: Any) -> None:
        self._module, self._tool = module, module.ZstdDecompressor()
        self._rest, self.finished = b"", False

    @property
    def needs_input(self) -> bool:
        return not self._rest and (self._tool.eof or self._tool.needs_input)

    def feed(self, block: bytes) -> bytes:
        data = self._rest + block
        self._rest = b""
        if self._tool.eof:
            if not data:
                return b""
            self._tool = self._module.ZstdDecompressor()
        part = self._tool.decompress(data, 8 * TUNING.file_block)
        self.finished = self._tool.eof
        if self._tool.eof:
            self._rest = self._tool.unused_data
        return part


def zstd(path: str) -> Any:
    """The zstd module: Python's own from 3.14 on, otherwise the one that rosbags brings along."""
    try:
        from backports import zstd as module
    except ImportError:
        try:
            from compression import zstd as module  # pyright: ignore
        except ImportError:
            raise BadInput(
                f'{path}: zstd needs backports.zstd; install it with pip install "steelyard[logs]".'
            ) from None
    return module


def _decompressor(path: str, kind: str) -> Any:
    return _Gzip() if kind == "gzip" else _Zstd(zstd(path))


def _zstd_errors(kind: str) -> tuple:
    return () if kind == "gzip" else (zstd("").ZstdError,)
