"""The prose of the paper's source, and the numerals in it that no artifact stands behind.

The paper may call the functions below and no others. What they are given between quotes names a
number, a table or a file; what they are given between brackets is prose again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mateprobe.errors import StudyError, one_of

FUNCTIONS = frozenset({"bibliography", "n", "paper", "share", "shown-figure", "shown-table", "word"})
HARMLESS = re.compile(
    r"""
    (?<![\d.,])(?:19|20)\d\d(?!\d|[.,]\d)          # years
    | (?:§|\b[Ss]ections?\s)\s?\d+(?:\.\d+)*(?:\s(?:to|and)\s\d+(?:\.\d+)*)?  # sections of the report
    | (?<![\d.,])\d+\.\d+\.\d+(?:a\d+)?(?!\d|\.\d)  # versions
    """,
    re.VERBOSE,
)
_WORDS = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand dozen"
NUMERAL = re.compile(rf"\d+(?:[.,]\d+)*|\b(?:{_WORDS.replace(' ', '|')})\b", re.IGNORECASE)
_CALL = re.compile(r"#(?:show:\s*)?([A-Za-z_][\w-]*)(?:\.with)?(?=[(\[])")
_LEFT_OUT = re.compile(
    r"""
    \#import\ [^\n]*      # where the functions come from
    | //[^\n]*            # a comment
    | /\*.*?\*/           # likewise
    | @[A-Za-z_][\w:-]*   # a reference
    | <[A-Za-z_][\w:-]*>  # a label
    | `[^`]*[A-Za-z][^`]*`  # a name, as it stands in code
    | \\.                 # an escaped character
    """,
    re.VERBOSE | re.DOTALL,
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NAMED = re.compile(r"#(shown-table|shown-figure)\(\s*\"([^\"]*)\"")


def numerals(path: Path) -> list[str]:
    """Return for each numeral in a paper's prose a line that says where it stands.

    Raises:
        StudyError: a call of another function than ``FUNCTIONS``, or one without an end.
    """
    text = path.read_text("utf-8")
    masked = HARMLESS.sub(_blank, _Prose(path, text).masked())
    return [
        f"{path}:{line}: {found[0]!r} in {text.splitlines()[line - 1].strip()!r:.100}"
        for line, shown in enumerate(masked.splitlines(), 1)
        for found in NUMERAL.finditer(shown)
    ]


def refuse_numerals(path: Path) -> None:
    """Refuse a paper with a numeral that is neither taken from an artifact nor harmless.

    Raises:
        StudyError: there are some, each with file and line.
    """
    if found := numerals(path):
        raise StudyError(
            "\n".join(found) + '\nexpected #n("ID"), #share("ID") or #word("ID") of a claim in paper/claims.yaml'
        )


def shown(path: Path) -> Iterator[Path]:
    """Yield the tables and figures a paper shows, each once."""
    for kind, name in dict.fromkeys(_NAMED.findall(path.read_text("utf-8"))):
        yield Path("results/tables", f"{name}.typ") if kind == "shown-table" else Path("results/figures", f"{name}.svg")


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


class _Prose:
    """Walks over Typst markup and keeps of it what is read, every character in its place."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text, self.at = path, text, 0
        self.kept = list(re.sub(r"[^\n]", " ", text))

    def masked(self) -> str:
        self._markup(nested=False)
        return "".join(self.kept)

    def _markup(self, *, nested: bool) -> None:
        while self.at < len(self.text):
            if left_out := _LEFT_OUT.match(self.text, self.at):
                self.at = left_out.end()
            elif call := _CALL.match(self.text, self.at):
                self._call(call)
            elif self.text[self.at] == "]" and nested:
                self.at += 1
                return
            elif self.text[self.at] == "[":
                self.at += 1
                self._markup(nested=True)
            else:
                self._keep()
        if nested:
            raise StudyError(f"{self.path}: a bracket is opened and not closed")

    def _call(self, call: re.Match[str]) -> None:
        if call[1] not in FUNCTIONS:
            raise StudyError(f"{self.path}:{self._line()}: #{call[1]}: {one_of(call[1], FUNCTIONS)}")
        self.at = call.end()
        while self.text[self.at : self.at + 1] in ("(", "["):
            self.at += 1
            if self.text[self.at - 1] == "[":
                self._markup(nested=True)
            else:
                self._arguments()
        if self.text[self.at : self.at + 1] == ";":
            raise StudyError(f"{self.path}:{self._line()}: Typst takes the ; after #{call[1]} for its end; write \\;")

    def _arguments(self) -> None:
        """Pass over what stands between parentheses; content blocks in it are prose."""
        begun = self._line()
        while self.at < len(self.text):
            character = self.text[self.at]
            if string := _STRING.match(self.text, self.at):
                self.at = string.end()
                continue
            self.at += 1
            if character == "(":
                self._arguments()
            elif character == "[":
                self._markup(nested=True)
            elif character == ")":
                return
        raise StudyError(f"{self.path}:{begun}: a parenthesis is opened and not closed")

    def _keep(self) -> None:
        self.kept[self.at] = self.text[self.at]
        self.at += 1

    def _line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1
