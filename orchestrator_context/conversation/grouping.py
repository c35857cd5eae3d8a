"""Which segments stay or go together: calls with their results, reasoning with what it led to.

Calls are matched with results by id, first come, first served, so that ids that are used again, or
are empty, pair in order. Any number of calls and results can hang together, and other segments
may stand between them. A later result of an answered call joins it, as the final answer of a
long-running tool does.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from orchestrator_context.conversation.beside import outcome
from orchestrator_context.conversation.blocks import NO_RESULT, Blocks
from orchestrator_context.conversation.labels import of_tool, speakers
from orchestrator_context.messages import continues, is_result
from orchestrator_context.models import Segment


@dataclass(frozen=True, slots=True)
class Grouping:
    """The atomic units of a conversation.

    Attributes:
        groups: indices of the segments of each unit, in the order of their first segments.
        pending: indices of calls that still wait for a result.
        dead: indices of calls without a result that the conversation has left behind: after them
            the user spoke, and the model answered, or that were left behind before.
        orphans: indices of results without a call before them.
    """

    groups: tuple[tuple[int, ...], ...]
    pending: tuple[int, ...]
    dead: tuple[int, ...]
    orphans: tuple[int, ...]


def group(segments: Iterable[Segment], dead: Collection[int] = ()) -> Grouping:
    """Return the atomic units of `segments`.

    >>> call = Segment("{}", "assistant", "tool_call", call_id="c1")
    >>> result = Segment("42", "tool", "tool_result", call_id="c1")
    >>> group([call, Segment("hello"), result]).groups
    ((0, 2), (1,))

    Args:
        segments: a conversation, or what is left of one.
        dead: indices of calls that it had left behind while it was whole.
    """
    grouper = _grouped(segments, dead)
    groups = tuple(grouper.members(root) for root in grouper.roots())
    return Grouping(groups, grouper.pending(), grouper.dead(), tuple(grouper.orphans))


def _grouped(segments: Iterable[Segment], dead: Collection[int]) -> Grouper:
    grouper = Grouper(dead)
    for segment in segments:
        grouper.add(segment)
    return grouper


def repaired(segments: Sequence[Segment], dead: Collection[int] = ()) -> tuple[Segment, ...]:
    """Return `segments` as a service accepts them: every call directly followed by its results.

    - A result that came late moves up to its call, before what stands between them. One that came
      for a call that has a result already becomes text of the user, unless that result only said
      that there is none; then it takes its place.
    - A call without a result gets one that says so where the conversation has left it behind or
      went on behind it. At the end, it stays as it is.
    - Results without a call are left out; where nothing would be left to answer, they stay as text
      of the user.

    What is in order stays as it is, and doing it twice changes nothing more.

    Args:
        segments: a conversation, or what is left of one.
        dead: indices of calls that it had left behind while it was whole.
    """
    grouper = _grouped(segments, dead)
    left = grouper.dead()
    if grouper.in_order and not left:
        return tuple(segments)
    orphans, blocks = frozenset(grouper.orphans), grouper.blocks
    names = speakers(segments)
    if all(one.role == "system" for at, one in enumerate(segments) if at not in orphans):
        return tuple(
            _as_text(one, names) if at in orphans else one for at, one in enumerate(segments)
        )
    owed: dict[int, list[Segment]] = {}
    for call in sorted((*left, *filter(blocks.is_followed, grouper.pending()))):
        owed.setdefault(blocks.piece_of(call), []).append(_no_result(segments[call]))
    texts, whole = frozenset(blocks.repeated), list[Segment]()
    for number in range(len(blocks.pieces)):
        for index in blocks.sent(number):
            whole.append(_as_text(segments[index], names) if index in texts else segments[index])
        whole += owed.get(number, [])
    return tuple(whole)


def _as_text(result: Segment, names: Collection[str]) -> Segment:
    return replace(
        result,
        content=of_tool("result", result.title, outcome(result).content, names),
        role="user",
        kind="turn",
        title="",
        call_id="",
        message="",
        metadata=result.metadata if result.media else {},
    )


def _no_result(call: Segment) -> Segment:
    return Segment(
        NO_RESULT, "tool", "tool_result", title=call.title, call_id=call.call_id, source=call.source
    )


@dataclass(frozen=True, slots=True)
class Joined:
    """Where a new segment belongs.

    Attributes:
        root: the first index of its group.
        absorbed: roots of groups that became part of that group through it.
    """

    root: int
    absorbed: tuple[int, ...]


class Grouper:
    """Groups segments one by one, each in about constant time.

    Attributes:
        orphans: indices of results without a call before them.
        blocks: the order in which the others are sent.
    """

    def __init__(self, dead: Collection[int] = ()) -> None:
        """Begin without any segment.

        Args:
            dead: indices of calls that are known to be left behind, whatever follows them here.
        """
        self.orphans: list[int] = []
        self._known_dead = frozenset(dead)
        self._parents: list[int] = []
        self._members: dict[int, list[int]] = {}
        self._unanswered: dict[str, deque[int]] = {}
        self._answered: dict[str, int] = {}
        self._named: dict[str, int] = {}
        self.blocks = Blocks()
        self._last: Segment | None = None
        self._part: int | None = None  # the last part of the message at hand that is no result
        self._user_turns: list[int] = []
        self._last_answer = -1

    def __len__(self) -> int:
        return len(self._parents)

    def add(self, segment: Segment) -> Joined:
        """Return the group of `segment`, which follows all those that were added before."""
        index = len(self._parents)
        self._parents.append(index)
        self._members[index] = [index]
        root, absorbed = index, list[int]()
        for partner in self._partners(index, segment):
            one, other = sorted((self.root(partner), root))
            if one != other:
                self._merge(one, other)
                absorbed += [other] if other != index else []
            root = one
        self._note_turn(index, segment)
        self._last = segment
        return Joined(root, tuple(absorbed))

    def root(self, index: int) -> int:
        """Return the first index of the group that segment `index` is in."""
        parents = self._parents
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    def members(self, root: int) -> tuple[int, ...]:
        """Return the indices of the group that begins at `root`, in order."""
        return tuple(sorted(self._members[root]))

    def roots(self) -> list[int]:
        """Return the first index of every group, in order."""
        return sorted(self._members)

    @property
    def in_order(self) -> bool:
        """Whether a service takes the segments as they stand, apart from what is known as dead."""
        return self.blocks.in_order and not self.orphans

    @property
    def count(self) -> int:
        """Number of groups."""
        return len(self._members)

    def next_user_turn(self, index: int) -> int | None:
        """Return the first user turn at `index` or behind it that begins its group."""
        turns = self._user_turns
        behind = (turns[at] for at in range(bisect_left(turns, index), len(turns)))
        return next((turn for turn in behind if self.root(turn) == turn), None)

    def user_turn_before(self, index: int) -> int | None:
        """Return the last user turn at `index` or before it, or None."""
        at = bisect(self._user_turns, index)
        return self._user_turns[at - 1] if at else None

    @property
    def last_user_turn(self) -> int | None:
        """Index of the newest thing that a user said, or None."""
        return self._user_turns[-1] if self._user_turns else None

    def pending(self) -> tuple[int, ...]:
        """Return the calls that still wait for a result."""
        return tuple(index for index in self._open() if not self._is_dead(index))

    def dead(self) -> tuple[int, ...]:
        """Return the calls without a result that the conversation has left behind."""
        return tuple(filter(self._is_dead, self._open()))

    def _open(self) -> list[int]:
        return sorted(index for waiting in self._unanswered.values() for index in waiting)

    def _is_dead(self, index: int) -> bool:
        if index in self._known_dead:
            return True
        later = bisect(self._user_turns, index)
        return later < len(self._user_turns) and self._last_answer > self._user_turns[later]

    def _partners(self, index: int, segment: Segment) -> list[int]:
        found: list[int] = []
        last, same = self._last, self._last is not None and continues(self._last, segment)
        self._part = self._part if same else None
        if is_result(segment):
            found += self._call_of(index, segment)
            for call in found:
                self.blocks.answer(index, segment, call, continues=same)
        else:
            self.blocks.add(index, segment, continues=same)
            found += [] if self._part is None else [self._part]
            self._part = index
            if last is not None and last.kind == "reasoning" and segment.role == "assistant":
                found.append(index - 1)
        if segment.kind == "tool_call":
            self._unanswered.setdefault(segment.call_id, deque()).append(index)
        if segment.group:
            found.append(self._named.setdefault(segment.group, index))
        return found

    def _call_of(self, index: int, segment: Segment) -> list[int]:
        waiting = self._unanswered.get(segment.call_id)
        if waiting:
            call = waiting.popleft()
            if not waiting:
                del self._unanswered[segment.call_id]
            self._answered[segment.call_id] = call
            return [call]
        if segment.call_id in self._answered:
            return [self._answered[segment.call_id]]
        self.orphans.append(index)
        return []

    def _note_turn(self, index: int, segment: Segment) -> None:
        if is_user_turn(segment):
            self._user_turns.append(index)
        elif segment.role == "assistant" and segment.kind != "reasoning":
            self._last_answer = index

    def _merge(self, root: int, other: int) -> None:
        self._parents[other] = root
        mine, theirs = self._members[root], self._members.pop(other)
        if len(mine) < len(theirs):
            mine, theirs = theirs, mine
        mine += theirs
        self._members[root] = mine


def is_user_turn(segment: Segment) -> bool:
    """Return whether somebody asks or says something here, rather than a tool or a summary."""
    return segment.role == "user" and segment.kind in ("turn", "media", "document", "custom")
