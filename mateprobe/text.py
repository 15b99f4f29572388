"""Text as the lexical rules see it: normalised, then cut into word tokens."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Rules ask for the same few texts again and again. Long texts get a small cache of their own, so
# that what is kept stays within some tens of megabytes whatever the corpus.
_SHORT = 2048
_WORD = re.compile(r"\w+")


def normalize(text: str, fold_accents: bool = False) -> str:
    """Return ``text`` in NFKC, case-folded, then NFC; optionally without combining marks.

    Args:
        text: any text.
        fold_accents: drop characters of category Mn after canonical decomposition.

    Examples:
        >>> normalize("Café"), normalize("Café", fold_accents=True)
        ('café', 'cafe')
    """
    return (_normalize_short if len(text) <= _SHORT else _normalize_long)(text, fold_accents)


def tokens(text: str) -> tuple[str, ...]:
    """Return the runs of word characters of the normalised ``text`` that contain a letter, in order.

    Examples:
        >>> tokens("Two of 2: B2 and b2!")
        ('two', 'of', 'b2', 'and', 'b2')
    """
    return (_tokens_short if len(text) <= _SHORT else _tokens_long)(text)


def search(pattern: re.Pattern[str], text: str, fold_accents: bool = False) -> re.Match[str] | None:
    """Return the first match of ``pattern`` in the normalised ``text``, or None."""
    return (_search_short if len(text) <= _SHORT else _search_long)(pattern, text, fold_accents)


def _normalize(text: str, fold_accents: bool) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    if fold_accents and not folded.isascii():
        decomposed = unicodedata.normalize("NFD", folded)
        folded = "".join(character for character in decomposed if unicodedata.category(character) != "Mn")
    return unicodedata.normalize("NFC", folded)


def _tokens(text: str) -> tuple[str, ...]:
    words = _WORD.findall(normalize(text))
    return tuple(word for word in words if word.isalpha() or any(map(str.isalpha, word)))


def _search(pattern: re.Pattern[str], text: str, fold_accents: bool) -> re.Match[str] | None:
    return pattern.search(normalize(text, fold_accents))


_normalize_short = lru_cache(maxsize=1024)(_normalize)
_normalize_long = lru_cache(maxsize=4)(_normalize)
_tokens_short = lru_cache(maxsize=1024)(_tokens)
_tokens_long = lru_cache(maxsize=4)(_tokens)
_search_short = lru_cache(maxsize=4096)(_search)
_search_long = lru_cache(maxsize=16)(_search)
