"""Operators that change texts: how long they are, how they are written, what they look like."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Literal

from mateprobe.operators.operator import Change, Example, Examples, Operator, Site

LONG = 10_000
"""Characters of a very long text."""

LOOKALIKES = str.maketrans(
    "aceiopxyABCEHKMOPTX",
    "\u0430\u0441\u0435\u0456\u043e\u0440\u0445\u0443\u0410"
    "\u0412\u0421\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425",
)
"""Latin letters and the Cyrillic ones that look the same."""

_WORD = {"type": "string", "minLength": 1, "maxLength": 80}
_CODE = {"enum": ["ok"]}


def _rewrite(rewrite: Callable[[str], str]) -> Callable[[Site], Iterator[Change]]:
    def change(site: Site) -> Iterator[Change]:
        if isinstance(site.value, str) and site.value:
            yield Change(rewrite(site.value))

    return change


def _lengthened(text: str) -> str:
    return (text * (LONG // len(text) + 1))[: max(LONG, len(text))]


def _white_space(site: Site) -> Iterator[Change]:
    if isinstance(site.value, str) and site.value:
        yield Change(f" {site.value}", label="leading")
        yield Change(f"{site.value} ", label="trailing")
        yield Change(site.value.replace(" ", "  "), label="doubled")


def _confusable(site: Site) -> Iterator[Change]:
    text = site.value if isinstance(site.value, str) else ""
    places = [index for index, letter in enumerate(text) if ord(letter) in LOOKALIKES]
    if places:
        index = site.chance.choice(places)
        yield Change(text[:index] + text[index].translate(LOOKALIKES) + text[index + 1 :])


def _form(form: Literal["NFC", "NFD"]) -> Callable[[Site], Iterator[Change]]:
    return _rewrite(lambda text: unicodedata.normalize(form, text))


def _other_form(before: str, after: str) -> Examples:
    return Examples(
        Example(before, after, {"enum": [before]}, "compared letter by letter, it is another text"),
        Example({"id": before}, {"id": after}, {"required": ["id"]}, "an id that is then looked up in vain"),
        Example({"title": before}, {"title": after}, {"required": ["title"]}, "the same title to every reader"),
    )


TEXTS: tuple[Operator, ...] = (
    Operator(
        "empty_text", "1", "a text is empty", _rewrite(lambda _: ""),
        Examples(
            Example("hi", "", _WORD, "too short"),
            Example({"name": "Ada"}, {"name": ""}, {"required": ["name"]}, "the name is there, and says nothing"),
            Example({"note": "hi"}, {"note": ""}, {"properties": {"note": {"type": "string"}}}, "a note may be empty"),
        ),
    ),
    Operator(
        "long_text", "1", f"a text repeats itself over {LONG:,} characters", _rewrite(_lengthened),
        Examples(
            Example("ab", "ab" * 5_000, _WORD, "too long"),
            Example("ab", "ab" * 5_000, {"type": "string"}, "no page has room for it, and nothing says so"),
            Example("ab", "ab" * 5_000, {}, "a text of any length"),
        ),
    ),
    Operator("nfc", "1", "a text is in Unicode form NFC", _form("NFC"), _other_form("cafe\u0301", "caf\u00e9")),
    Operator("nfd", "1", "a text is in Unicode form NFD", _form("NFD"), _other_form("caf\u00e9", "cafe\u0301")),
    Operator(
        "crlf", "1", "lines of a text end in CR LF", _rewrite(lambda text: re.sub(r"\r?\n", "\r\n", text)),
        Examples(
            Example("a\nb", "a\r\nb", {"not": {"pattern": "\r"}}, "no CR is allowed"),
            Example({"sha256": "00\n"}, {"sha256": "00\r\n"}, {}, "bytes that are hashed later"),
            Example({"body": "a\nb"}, {"body": "a\r\nb"}, {"required": ["body"]}, "the same lines"),
        ),
    ),
    Operator(
        "swap_case", "1", "small letters of a text are capital and the reverse", _rewrite(str.swapcase),
        Examples(
            Example("ok", "OK", _CODE, "codes are small"),
            Example({"file": "README"}, {"file": "readme"}, {"required": ["file"]}, "another file on most machines"),
            Example({"header": "ETag"}, {"header": "etAG"}, {"required": ["header"]}, "headers have no case"),
        ),
    ),
    Operator(
        "white_space", "1", "a text has a space before it, behind it, or every space doubled", _white_space,
        Examples(
            Example("ok", "ok ", _CODE, "a code with a space is another one"),
            Example({"user": "ada"}, {"user": " ada"}, {"required": ["user"]}, "a user of another name"),
            Example({"body": "a b"}, {"body": "a  b"}, {"required": ["body"]}, "it reads the same"),
        ),
    ),
    Operator(
        "confusable", "1", "one Latin letter of a text is a Cyrillic one that looks the same", _confusable,
        Examples(
            Example("ok", "\u043ek", {"pattern": "^[a-z]+$"}, "Latin letters only"),
            Example({"host": "ox"}, {"host": "\u043ex"}, {"required": ["host"]}, "another host, and nobody sees it"),
            Example({"drawn": "o"}, {"drawn": "\u043e"}, {"required": ["drawn"]}, "drawn on a sign, it is the same"),
        ),
    ),
)  # fmt: skip
