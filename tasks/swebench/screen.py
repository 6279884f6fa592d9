"""What a program printed, as somebody would read it on a screen, and never more of it than fits."""

from __future__ import annotations

import codecs
import re

LONG = 8192  # characters of an unfinished line that are kept for what may still overwrite it
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()#%][0-9A-Za-z]|[@-Z\\^_=>78])")
_OPEN = 256  # characters in which an escape sequence must come to its end
_RUBBED = re.compile("[^\b]\b")


class Screen:
    """Bytes in pieces to text in pieces: UTF-8 with U+FFFD for what is none, without colours, and of a line that was
    written over again and again (a progress bar) only what stood there last.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ""  # an unfinished escape sequence
        self._line = ""  # the unfinished line

    def feed(self, data: bytes, last: bool = False) -> str:
        """The text that is settled by now."""
        text = self._open + self._decoder.decode(data, last)
        self._open = ""
        if "\x1b" in text:
            text = _ESCAPE.sub("", text)
            at = text.rfind("\x1b")
            if not last and at >= 0 and len(text) - at < _OPEN:
                text, self._open = text[:at], text[at:]
        whole = self._line + text
        end = len(whole) if last else whole.rfind("\n") + 1
        settled, self._line = _settled(whole[:end]), whole[end:]
        if len(self._line) > LONG:
            # A carriage return may be half of a line's end.
            keep = 1 if self._line.endswith("\r") else 0
            cut = len(self._line) - keep
            line = _settled(self._line[:cut])
            if "\r" in self._line[:cut]:
                self._line = line + self._line[cut:]
            if len(line) > LONG:
                settled, self._line = settled + line, self._line[cut:] if "\r" not in self._line else "\r" * keep
        return settled


def _settled(text: str) -> str:
    if "\r" not in text and "\b" not in text:
        return text
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    body, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
    if "\r" in body:
        body = next((part for part in reversed(body.split("\r")) if part), "")
    while "\b" in body:
        shorter = _RUBBED.sub("", body)
        body = shorter if shorter != body else body.replace("\b", "")
    return body + end


class Clip:
    """The first and the last half of `limit` characters, and how many there were; memory is bounded by the limit."""

    def __init__(self, limit: int) -> None:
        self.half = limit // 2
        self.total = 0
        self._head = ""
        self._tail = ""

    def add(self, text: str) -> None:
        self.total += len(text)
        room = self.half - len(self._head)
        if room > 0:
            self._head, text = self._head + text[:room], text[room:]
        # A long piece is cut before it is joined, and the joined tail now and then.
        self._tail += text[-self.half :]
        if len(self._tail) > 4 * self.half:
            self._tail = self._tail[-self.half :]

    def text(self) -> str:
        tail = self._tail[-self.half :] if self.half else ""
        left_out = self.total - len(self._head) - len(tail)
        if left_out <= 0:
            return self._head + tail
        return f"{self._head}\n[{left_out:,} of {self.total:,} characters left out here]\n{tail}"


def clipped(text: str, limit: int) -> str:
    clip = Clip(limit)
    clip.add(text)
    return clip.text()
