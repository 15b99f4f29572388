"""Text as the lexical rules see it."""

from __future__ import annotations

import pytest

from mateprobe.text import normalize, tokens

NORMAL = {
    "case": ("Straße STRASSE", "strasse strasse"),
    "full width": ("\uff37\uff45\uff4e\uff54", "went"),
    "ligatures and superscripts": ("ﬁn x²", "fin x2"),
    "decomposed accents": ("salio\u0301", "salió"),
    "a dotted capital i": ("İ", "i̇"),
    "a final sigma": ("\u03a9\u03c2", "\u03c9\u03c3"),
    "spaces of a fixed width": ("a\u00a0b\u2003c", "a b c"),
    "nothing": ("", ""),
}
FOLDED = {
    "accents": ("SALIÓ bien, señor", "salio bien, senor"),
    "decomposed accents": ("salio\u0301", "salio"),
    "marks that have no composed form": ("x\u0331", "x"),
    "marks of other scripts": ("\u05e9\u05c1", "\u05e9"),
    "a stroke is no mark": ("øł", "øł"),
    "spacing marks stay": ("\u0915\u093e", "\u0915\u093e"),
    "syllables are put together again": ("한", "한"),
    "plain letters": ("ABC", "abc"),
}
TOKENS = {
    "words": ("One, two -- three!", ("one", "two", "three")),
    "repeated": ("no no NO", ("no", "no", "no")),
    "digits with a letter": ("x1 2b", ("x1", "2b")),
    "digits alone": ("12 3.5", ()),
    "underscores alone": ("__ _a_", ("_a_",)),
    "punctuation within": ("it's well-known", ("it", "s", "well", "known")),
    "composed as decomposed": ("sali\u00f3 salio\u0301", ("salió", "salió")),
    "accents kept": ("salió salio", ("salió", "salio")),
    "other scripts": ("漢字 слово", ("漢字", "слово")),
    "figures of other scripts": ("٣٤", ()),
    "signs": ("😀 ½ €", ()),
    "nothing": ("", ()),
}


@pytest.mark.parametrize(("text", "expected"), NORMAL.values(), ids=NORMAL.keys())
def test_normal_text_is_compatible_caseless_and_composed(text: str, expected: str) -> None:
    assert normalize(text) == expected


@pytest.mark.parametrize(("text", "expected"), FOLDED.values(), ids=FOLDED.keys())
def test_folding_drops_marks_that_take_no_space(text: str, expected: str) -> None:
    assert normalize(text, fold_accents=True) == expected


@pytest.mark.parametrize(("text", "expected"), TOKENS.values(), ids=TOKENS.keys())
def test_tokens_are_runs_of_word_characters_with_a_letter(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize("times", [1, 500, 5000])
def test_long_texts_are_read_like_short_ones(times: int) -> None:
    assert tokens("Salió 12 bien. " * times) == ("salió", "bien") * times
    assert normalize("É ", fold_accents=True) * times == normalize("É " * times, fold_accents=True)
