"""Normalising and cutting any text, against the definition written out."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from hypothesis import given, strategies as st

from mateprobe.text import normalize, tokens

# All of Unicode, and often the characters that the steps of the definition treat differently.
SPECIAL = (
    "aAbé\u0301\u0327\u0345ñ\uff21\uff45ﬁßİ\u0131Σςᾼǰ\u017fK²½٣१_'1 \t\n\u00a0\u200b\u200d\u2028\u0915\u093e漢한가😀"
)
texts = st.text(st.sampled_from(SPECIAL) | st.characters(exclude_categories=["Cs"]), max_size=30)


def normal(text: str, *, fold: bool) -> str:
    """The definition: NFKC, casefold, without the marks that take no space if asked for, NFC."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if fold:
        letters = unicodedata.normalize("NFD", folded)
        folded = "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")
    return unicodedata.normalize("NFC", folded)


@given(texts, st.booleans())
def test_a_text_is_normalised_as_defined(text: str, fold: bool) -> None:
    assert normalize(text, fold) == normal(text, fold=fold)


@given(texts)
def test_tokens_are_cut_as_defined(text: str) -> None:
    runs = re.findall(r"\w+", normal(text, fold=False))
    assert tokens(text) == tuple(run for run in runs if any(letter.isalpha() for letter in run))


@given(texts, st.sampled_from(["NFC", "NFD"]), st.booleans())
def test_how_a_text_is_composed_makes_no_difference(text: str, form: Literal["NFC", "NFD"], fold: bool) -> None:
    assert normalize(unicodedata.normalize(form, text), fold) == normalize(text, fold)
    assert tokens(unicodedata.normalize(form, text)) == tokens(text)


@given(texts)
def test_folded_text_has_no_mark_left(text: str) -> None:
    assert all(unicodedata.category(letter) != "Mn" for letter in normalize(text, fold_accents=True))


@given(st.lists(st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True), max_size=8), st.data())
def test_words_come_back_whatever_stands_between_them(words: list[str], data: st.DataObject) -> None:
    between = st.sampled_from([" ", "\n", " \t", ", ", " -- ", "\u2028", "\u00a0", " 12 ", "😀"])
    text = "".join(word + data.draw(between) for word in words)
    assert tokens(text) == tuple(words)
    assert tokens(text.upper()) == tuple(words)


@given(texts, st.integers(2, 4))
def test_a_text_beyond_the_length_that_is_kept_reads_the_same(text: str, times: int) -> None:
    once = f"{text}. a "
    assert tokens(once * (times * 1000)) == tokens(once) * (times * 1000)
