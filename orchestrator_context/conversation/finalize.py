"""The segments of a view as a model takes them: folded, joined and in the order that it demands.

No text is lost and none changes its side: what the assistant said stays the assistant's. Content
is only ever joined, with a blank line, so every text, locked or not, stands in the result byte for
byte; only in calls and results that become texts, and in texts of several authors that become one,
do some lines get a backslash, so that they pass for nobody else's. Doing it twice changes nothing
more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, groupby, pairwise

from orchestrator_context.conversation.beside import outcome
from orchestrator_context.conversation.joining import UNNAMED, Run, joined
from orchestrator_context.conversation.labels import of_tool, speakers
from orchestrator_context.conversation.templates import TemplateRules, template_rules
from orchestrator_context.messages import continues, is_result
from orchestrator_context.models import Role, Segment

__all__ = ["TemplateRules", "finalize_segments", "template_rules"]

OPENING = "(The conversation starts here.)"
"""Put in the user's mouth where the first message has to be the user's and is not."""

CLOSING = "(Please continue.)"
"""Put in the user's mouth where the last message may not be the assistant's and is."""

BRIDGE = "(Result received.)"
"""Put in the assistant's mouth where a user message may not follow a tool result and does."""

_OF_VIEWS = frozenset({"author", "names"})  # metadata that every part of a participant's view has


def finalize_segments(segments: Sequence[Segment], rules: TemplateRules) -> tuple[Segment, ...]:
    r"""Return `segments` as a model with these rules gets them, in linear time.

    >>> strict = TemplateRules("none", alternating=True)
    >>> view = [Segment("S", "system"), Segment("A"), Segment("B"), Segment("C", "assistant")]
    >>> [one.content for one in finalize_segments(view, strict)]
    ['S\n\nA\n\nB', 'C']

    - System messages that may not stand where they are become the user's: at the front they join
      the user message there, elsewhere they keep their place, except that none comes between a
      tool call and its results.
    - Neighbours of one role are joined where roles have to alternate. Messages with tool calls
      or results are never joined with others. Texts are joined with a blank line; a message with
      media, reasoning or raw parts keeps them as parts. A joined text has the id, kind and title
      of its first and no metadata; it is locked or required if one of its texts is. It has their
      author if all have the same; else what is not the assistant's begins with the name of its
      author, as a label. The title of a document in it stands above its text.
    - Where the user has to be first or last, or an assistant message has to stand behind a tool
      result, a short message is put in: `OPENING`, `CLOSING`, `BRIDGE`. For the latter, text that
      shares a message with the results before it gets one of its own.
    - Where roles have to alternate or the user has to be first, a turn without any text goes: no
      format sends it, and its place would be taken for it.
    - Where calls and results may not be sent, they become texts of the assistant and the user: a
      heading of one line, and their content, which says where a call failed. A line of it that
      looks like a label or such a heading gets a backslash in front, unless it has one. The labels
      are those of everybody whose name the segments tell: their authors, and in a participant's
      view all who take part.

    Segments that the rules do not concern come back as the same objects.
    """
    if rules == TemplateRules():
        return tuple(segments)
    runs = _runs(segments if rules.tools else _as_texts(segments))
    names = speakers(segments) if any(one.author for one in segments) else frozenset[str]()
    if rules.alternating or rules.user_first:
        runs = [run for run in runs if not _is_empty(run)] or runs
    runs = _placed_system(runs, rules, names)
    if not rules.user_after_tool:
        runs = [piece for run in runs for piece in _without_remarks(run)]
    if rules.alternating:
        runs = _alternating(runs, names)
    if not rules.user_after_tool:
        runs = list(_bridged(runs))
    return _stamped(_ended(runs, rules), {segment.message for segment in segments})


def _as_texts(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Return calls and results as texts; all other segments as they are."""
    if not any(map(_of_tool, segments)):
        return segments
    names = speakers(segments)
    return [_as_text(one, names) if _of_tool(one) else one for one in segments]


def _as_text(segment: Segment, names: Collection[str]) -> Segment:
    called = segment.kind == "tool_call"
    what, told = ("call", segment) if called else ("result", outcome(segment))
    return replace(
        segment,
        content=of_tool(what, told.title, told.content, names),
        role="assistant" if called else "user",
        kind="turn",
        title="",
        message="",
        call_id="",
        metadata=segment.metadata if segment.media else {},
    )


def _of_tool(segment: Segment) -> bool:
    return segment.kind == "tool_call" or is_result(segment)


def _runs(segments: Iterable[Segment]) -> list[Run]:
    """Return the messages; one whose parts have several roles is several, unless tools are in it.

    Results in the user's message, as Anthropic has them, stay with the text that follows them.
    """
    runs: list[list[Segment]] = []
    for segment in segments:
        before = runs[-1][-1] if runs else None
        if before is not None and continues(before, segment) and _same_side(before, segment):
            runs[-1].append(segment)
        else:
            runs.append([segment])
    return [tuple(run) for run in runs]


def _same_side(one: Segment, other: Segment) -> bool:
    return _side(one) == _side(other)


def _side(segment: Segment) -> Role:
    return "user" if segment.role == "tool" else segment.role


def _role(run: Run) -> Role:
    """Return the role of a message; "tool" for one with results only."""
    for segment in run:
        if segment.role != "tool":
            return segment.role
    return "tool"


def _plain(run: Run) -> bool:
    return not any(map(_of_tool, run))


def _placed_system(runs: list[Run], rules: TemplateRules, names: Collection[str]) -> list[Run]:
    """Return `runs` with system messages only where they may stand."""
    if rules.system == "anywhere":
        return runs
    front = next((i for i, run in enumerate(runs) if _role(run) != "system"), len(runs))
    leading, others = runs[:front], list(_folded(runs[front:]))
    if rules.system == "leading" or not leading:
        return leading + others
    if rules.system == "single":
        return [joined(leading, names), *others]
    if others and _role(others[0]) == "user" and _plain(others[0]):
        leading.append(others.pop(0))
    return [joined([_as_user(run) for run in leading], names), *others]


def _folded(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield `runs` with system messages made the user's, behind the results that follow them."""
    held: list[Run] = []
    for run in runs:
        if _role(run) == "system":
            held.append(_as_user(run))
            continue
        if not any(map(is_result, run)):
            yield from held
            held.clear()
        yield run
    yield from held


def _is_empty(run: Run) -> bool:
    """Return whether a message is a turn with neither text nor anything else to send."""
    return all(
        one.kind == "turn" and not (one.content or one.media or _says_more(one)) for one in run
    )


def _says_more(segment: Segment) -> bool:
    """Return whether an adapter has kept something of it beside the content."""
    known = segment.metadata
    return any(bool(known[name]) for name in known.keys() - _OF_VIEWS)


def _as_user(run: Run) -> Run:
    return run if _role(run) == "user" else tuple(replace(part, role="user") for part in run)


def _alternating(runs: list[Run], names: Collection[str]) -> list[Run]:
    """Return `runs` with neighbours of one role joined, tool messages left aside."""
    done: list[Run] = []
    for (_, plain), neighbours in groupby(runs, key=lambda run: (_role(run), _plain(run))):
        same = list(neighbours)
        done += [joined(same, names)] if plain else same
    return done


def _without_remarks(run: Run) -> list[Run]:
    """Return `run` cut in front of each remark of the user that stands behind a result."""
    cuts = [i for i in range(1, len(run)) if is_result(run[i - 1]) and _is_remark(run[i])]
    return [run[start:end] for start, end in pairwise([0, *cuts, len(run)])]


def _is_remark(segment: Segment) -> bool:
    return segment.role == "user" and not _of_tool(segment)


def _bridged(runs: list[Run]) -> Iterator[Run]:
    """Yield `runs` with an assistant message between tool results and a user message."""
    after_result = False
    for run in runs:
        if after_result and _is_remark(run[0]):
            yield (Segment(BRIDGE, "assistant"),)
        yield run
        after_result = any(map(is_result, run))


def _ended(runs: list[Run], rules: TemplateRules) -> list[Run]:
    """Return `runs` with a user message at the front and at the end, where it has to be."""
    front = next((i for i, run in enumerate(runs) if _role(run) != "system"), len(runs))
    opens = front < len(runs) and _role(runs[front]) == "user"
    if rules.user_first and runs and not opens:
        runs = [*runs[:front], (Segment(OPENING),), *runs[front:]]
    if rules.user_last and runs and _role(runs[-1]) == "assistant" and _plain(runs[-1]):
        runs = [*runs, (Segment(CLOSING),)]
    return runs


def _stamped(runs: list[Run], taken: set[str]) -> tuple[Segment, ...]:
    """Return the parts of all messages, with neighbouring messages told apart by their names."""
    names = (name for index in count(1) if (name := f"joined-{index}") not in taken)
    done: list[Segment] = []
    for run in runs:
        message = run[0].message
        if message == UNNAMED or (done and continues(done[-1], run[0])):
            message = next(names)
            run = tuple(replace(part, message=message) for part in run)
        done += run
    return tuple(done)
