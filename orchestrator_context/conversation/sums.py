"""Running totals that can grow and change."""

from __future__ import annotations


class PrefixSums:
    """A list of whole numbers from 0 that adds up any beginning of itself in O(log n).

    A Fenwick tree: P. Fenwick, "A new data structure for cumulative frequency tables", 1994.
    """

    def __init__(self) -> None:
        self._tree: list[int] = [0]  # entry i holds the sum of the (i & -i) values that end at i
        self.total = 0

    def __len__(self) -> int:
        return len(self._tree) - 1

    def append(self, value: int) -> None:
        """Add a value at the end."""
        index = len(self._tree)
        span, step = value, 1
        while step < index & -index:
            span += self._tree[index - step]
            step <<= 1
        self._tree.append(span)
        self.total += value

    def add(self, index: int, change: int) -> None:
        """Change the value at `index`, counted from 0, by `change`."""
        self.total += change
        index += 1
        while index < len(self._tree):
            self._tree[index] += change
            index += index & -index

    def before(self, index: int) -> int:
        """Return the sum of the first `index` values."""
        total = 0
        while index:
            total += self._tree[index]
            index &= index - 1
        return total

    def reach(self, total: int) -> int:
        """Return how many values it takes from the beginning to add up to `total` or more.

        That is one more than there are where all of them together do not.
        """
        if total <= 0:
            return 0
        position, step = 0, 1 << (len(self._tree).bit_length() - 1)
        while step:
            ahead = position + step
            if ahead < len(self._tree) and self._tree[ahead] < total:
                position, total = ahead, total - self._tree[ahead]
            step >>= 1
        return position + 1
