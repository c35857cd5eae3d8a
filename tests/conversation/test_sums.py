from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation.sums import Column, PrefixSums

STEPS = st.lists(st.tuples(st.sampled_from(["append", "add"]), st.integers(0, 9)), max_size=40)


@given(STEPS)
def test_sums_are_those_of_a_plain_list(steps: list[tuple[str, int]]) -> None:
    sums, plain = PrefixSums(), list[int]()
    for what, value in steps:
        if what == "append" or not plain:
            sums.append(value)
            plain.append(value)
        else:
            place = value % len(plain)
            change = value - plain[place] if value % 2 else value
            sums.add(place, change)
            plain[place] += change
        assert (len(sums), sums.total) == (len(plain), sum(plain))
        assert [sums.before(at) for at in range(len(plain) + 1)] == [
            sum(plain[:at]) for at in range(len(plain) + 1)
        ]
        for total in range(sum(plain) + 3):
            reached = (at for at in range(len(plain) + 1) if sum(plain[:at]) >= total)
            assert sums.reach(total) == next(reached, len(plain) + 1)


def test_a_column_moves_figures_and_leaves_out_what_it_must() -> None:
    column = Column()
    for root in range(4):
        column.append()
        column.add(root, 10 + root)
    column.move(3, 1)
    assert [column.at(root) for root in range(4)] == [10, 24, 12, 0]
    column.exclude(1)
    column.add(1, 5)
    column.move(2, 1)
    assert [column.before(at) for at in range(5)] == [0, 10, 10, 10, 10]
    column.exclude(9)  # not counted yet
    column.move(9, 0)
    assert column.at(0) == 10
