"""A table tells what was put into it, and nothing else, however it has grown and whatever shares a slot."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given, strategies as st

from mateprobe.pipeline.digest_table import FIRST, DigestTable

CLOSE = st.integers(0, 30).map(lambda n: f"{n // 6:016x}{n % 6:016x}{0:032x}")
"""Digests that ask for the same slots."""


@given(st.dictionaries(CLOSE | st.binary().map(lambda data: sha256(data).hexdigest()), st.integers(1, 2**32 - 1)))
def test_every_digest_has_the_number_it_was_given_and_others_have_none(numbers: dict[str, int]) -> None:
    table = DigestTable()
    for digest, number in numbers.items():
        assert table.get(digest) == 0
        assert table.put(digest, number)
        assert not table.put(digest, 1 + number % 7)
    assert {digest: table.get(digest) for digest in numbers} == numbers
    assert table.get("f" * 64) == 0


def test_a_table_that_has_grown_holds_what_it_held() -> None:
    digests = [sha256(b"%d" % n).hexdigest() for n in range(3 * FIRST)]
    table = DigestTable()
    for number, digest in enumerate(digests, 1):
        table.put(digest, number)
    assert [table.get(digest) for digest in digests] == [*range(1, len(digests) + 1)]
