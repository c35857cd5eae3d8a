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


class Column:
    """One figure for each group, standing at its root."""

    def __init__(self) -> None:
        self._sums = PrefixSums()
        self._values: list[int] = []
        self._excluded: set[int] = set()

    def __len__(self) -> int:
        return len(self._values)

    def at(self, root: int) -> int:
        """Return the figure of the group at `root`."""
        return self._values[root]

    def before(self, index: int) -> int:
        """Return the sum of the figures of all groups whose root is less than `index`."""
        return self._sums.before(index)

    @property
    def first(self) -> int:
        """The first root that has a figure, or the number of roots where none has."""
        return self._sums.reach(1) - 1

    def append(self) -> None:
        """Make room for the figure of one more root."""
        self._values.append(0)
        self._sums.append(0)

    def add(self, root: int, amount: int) -> None:
        """Add to a figure."""
        if amount and root not in self._excluded:
            self._values[root] += amount
            self._sums.add(root, amount)

    def move(self, source: int, target: int) -> None:
        """Add the figure of one group to that of another, which it became part of."""
        if source < len(self._values):  # else it was not counted yet
            amount = self._values[source]
            self.add(source, -amount)
            self.add(target, amount)

    def exclude(self, root: int) -> None:
        """Leave a group out for good."""
        if root < len(self._values):
            self.add(root, -self._values[root])
        self._excluded.add(root)
