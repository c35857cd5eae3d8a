"""The reduce tree depends on the notes alone, loses none of them, and ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator_context.distill.tree import Tree, Work
from tests.linear import assert_linear


@dataclass(frozen=True, slots=True)
class Item:
    tokens: int
    leaves: tuple[int, ...]


def shrinks(work: Work[Item], room: int) -> Item | None:
    """A model that keeps to its limit: a merged note is a quarter of the room at most."""
    tokens = sum(item.tokens for item in work.items)
    leaves = tuple(leaf for item in work.items for leaf in item.leaves)
    return Item(tokens * 9 // 10 if work.step == "condense" else min(tokens, room // 4), leaves)


def forgets(work: Work[Item], room: int) -> Item | None:
    """A model that finds nothing in some of its notes."""
    result = shrinks(work, room)
    return None if result is not None and sum(result.leaves) % 3 == 0 else result


Model = Callable[[Work[Item], int], Item | None]


@dataclass
class Run:
    """Drives a tree: puts, the end of the source and the results come in any order."""

    room: int
    model: Model = shrinks
    works: list[Work[Item]] = field(default_factory=list)
    waiting: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tree = Tree[Item](self.room, lambda item: item.tokens, self.start)

    def start(self, work: Work[Item]) -> None:
        self.works.append(work)
        if work.step != "answer":
            result = self.model(work, self.room)
            self.waiting.append(lambda: self.tree.put(work.level, work.position, result))

    def feed(self, sizes: list[int | None], order: Random) -> Run:
        def put(position: int, size: int | None) -> Callable[[], None]:
            item = None if size is None else Item(size, (position,))
            return lambda: self.tree.put(0, position, item)

        self.waiting += [put(position, size) for position, size in enumerate(sizes)]
        self.waiting.append(lambda: self.tree.close(0, len(sizes)))
        while self.waiting:
            self.waiting.pop(order.randrange(len(self.waiting)))()
            assert len(self.works) < 10_000, "the tree does not end"
        return self

    @property
    def answers(self) -> list[Work[Item]]:
        return [work for work in self.works if work.step == "answer"]


def run(sizes: list[int | None], room: int, seed: int = 0, model: Model = shrinks) -> Run:
    return Run(room, model).feed(sizes, Random(seed))


SIZES = st.lists(st.one_of(st.none(), st.integers(1, 130)), max_size=60)
ROOMS = st.integers(8, 100)


@given(
    SIZES,
    ROOMS,
    st.sampled_from([shrinks, forgets]),
    st.lists(st.integers(), min_size=2, max_size=4),
)
def test_the_calls_depend_on_the_notes_alone(
    sizes: list[int | None], room: int, model: Model, seeds: list[int]
) -> None:
    runs = [run(sizes, room, seed, model) for seed in seeds]
    calls = [{(w.level, w.position): (w.step, w.items) for w in each.works} for each in runs]
    assert all(len(each.works) == len(calls[0]) for each in runs)
    assert all(each == calls[0] for each in calls)


@given(SIZES, ROOMS, st.integers())
@example([101], 100, 0)
@example([100, None], 100, 0)
@example([50, 51, 50, 51], 100, 0)
@example([50] * 5, 99, 0)
@example([1, 130, 1, 130, 1], 8, 0)
def test_every_note_reaches_the_answer_once(sizes: list[int | None], room: int, seed: int) -> None:
    done = run(sizes, room, seed)
    said = [position for position, size in enumerate(sizes) if size is not None]
    assert len(done.answers) == bool(said)
    for answer in done.answers:
        assert [leaf for item in answer.items for leaf in item.leaves] == said
    assert done.tree.standing == ()


@given(SIZES, ROOMS, st.integers())
def test_no_call_gets_more_than_fits(sizes: list[int | None], room: int, seed: int) -> None:
    for work in run(sizes, room, seed).works:
        tokens = sum(item.tokens for item in work.items)
        if work.step == "condense":
            assert len(work.items) == 1
            assert tokens > room // 2
        else:
            assert tokens <= room
            assert len(work.items) > (work.step == "merge")


@given(SIZES, ROOMS, st.integers())
def test_places_are_filled_without_a_gap(sizes: list[int | None], room: int, seed: int) -> None:
    works = run(sizes, room, seed, forgets).works
    places = [(work.level, work.position) for work in works]
    assert len(set(places)) == len(places)
    assert all(level >= 1 for level, _ in places)


@given(st.integers(1, 400), st.integers(1, 25))
def test_a_model_that_keeps_to_its_limit_needs_few_rounds(count: int, size: int) -> None:
    done = run([size] * count, 100)
    assert {work.step for work in done.works} <= {"merge", "answer"}
    assert len(done.works) <= max(1, count)
    assert 4 ** (done.tree.depth - 1) <= max(1, 4 * count)


@pytest.mark.parametrize(
    ("count", "depth"), [(1, 1), (4, 1), (5, 2), (16, 2), (17, 3), (64, 3), (65, 4)]
)
def test_depth_of_a_tree_of_four(count: int, depth: int) -> None:
    assert run([25] * count, 100).tree.depth == depth


@pytest.mark.parametrize("sizes", [[], [None], [None] * 7])
def test_nothing_to_say_needs_no_call(sizes: list[int | None]) -> None:
    assert run(sizes, 10).works == []


def test_one_note_is_answered_at_once() -> None:
    done = run([None, 3, None], 10)
    assert [(work.step, work.items) for work in done.works] == [("answer", (Item(3, (1,)),))]


def test_the_end_may_be_known_before_the_notes() -> None:
    tree_run = Run(10)
    tree_run.tree.close(0, 2)
    tree_run.tree.put(0, 1, Item(1, (1,)))
    assert tree_run.works == []
    tree_run.tree.put(0, 0, Item(1, (0,)))
    assert [work.step for work in tree_run.works] == ["answer"]


def test_a_batch_is_joined_while_later_notes_are_still_being_written() -> None:
    tree_run = Run(10)
    for position in (2, 0, 1):
        tree_run.tree.put(0, position, Item(5, (position,)))
    assert [work.step for work in tree_run.works] == ["merge"]
    assert tree_run.tree.standing == (Item(5, (2,)),)


def test_a_small_note_between_large_ones_goes_up_as_it_is() -> None:
    done = run([90, 20, 90], 100)
    steps = [(work.step, work.level, work.position) for work in done.works if work.level == 1]
    assert sorted(steps) == [("condense", 1, 0), ("condense", 1, 2)]
    assert done.answers


def test_all_that_came_back_empty_needs_no_answer() -> None:
    done = run([60, 60, 60], 100, model=lambda work, room: None)
    assert done.answers == []


def test_the_cost_is_linear_in_the_notes() -> None:
    def run_of(count: int) -> None:
        tree_run = Run(1_000)
        for position in range(count - 1, -1, -1):
            tree_run.tree.put(0, position, Item(10, (position,)))
        tree_run.tree.close(0, count)
        assert len(tree_run.works) == count // 100

    assert_linear(run_of, int, small=6_000)
