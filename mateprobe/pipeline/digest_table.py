"""A number for each of millions of samples, in 30 bytes each: a dict takes five times as much."""

from __future__ import annotations

from array import array

FIRST = 1 << 12
"""Slots a table begins with."""


class DigestTable:
    """A number above 0 for each SHA-256, told by half of it, which tells samples apart as surely.

    Open addressing: a digest is its own hash, and what does not find its slot free takes the next one.
    """

    def __init__(self) -> None:
        self._used = 0
        self._allot(FIRST)

    def get(self, sha256: str) -> int:
        """Return the number of a digest in hexadecimal, 0 if it has none."""
        return self._numbers[self._slot(int(sha256[:16], 16), int(sha256[16:32], 16))]

    def put(self, sha256: str, number: int) -> bool:
        """Give a digest a number; return False, and change nothing, if it has one."""
        head, tail = int(sha256[:16], 16), int(sha256[16:32], 16)
        slot = self._slot(head, tail)
        if self._numbers[slot]:
            return False
        self._heads[slot], self._tails[slot], self._numbers[slot] = head, tail, number
        self._used += 1
        if 3 * self._used >= 2 * len(self._numbers):
            self._grow()
        return True

    def _allot(self, slots: int) -> None:
        self._heads, self._tails = array("Q", bytes(8 * slots)), array("Q", bytes(8 * slots))
        self._numbers = array("I", bytes(array("I").itemsize * slots))

    def _slot(self, head: int, tail: int) -> int:
        """Return the slot of a digest: its own, or the free one that it would take."""
        heads, tails, numbers = self._heads, self._tails, self._numbers
        last = len(numbers) - 1
        slot = head & last
        while numbers[slot] and not (heads[slot] == head and tails[slot] == tail):
            slot = (slot + 1) & last
        return slot

    def _grow(self) -> None:
        heads, tails, numbers = self._heads, self._tails, self._numbers
        self._allot(2 * len(numbers))
        for head, tail, number in zip(heads, tails, numbers, strict=True):
            if number:
                slot = self._slot(head, tail)
                self._heads[slot], self._tails[slot], self._numbers[slot] = head, tail, number
