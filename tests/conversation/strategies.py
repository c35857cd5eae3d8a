"""Conversations as they come, and as they should not: for hypothesis and by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from hypothesis import strategies as st

from orchestrator_context.conversation.templates import TemplateRules, template_rules
from orchestrator_context.messages import message_runs
from orchestrator_context.models import Budget, Kind, Media, Role, Segment
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter

IMAGE = Media("image", width=64, height=64, media_type="image/png", url="file-1")


@dataclass(frozen=True)
class PerMessage:
    """Every message takes one token."""

    name: str = "per message"
    exact: bool = True

    def count(self, text: str) -> int:
        return min(1, len(text))

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        return sum(1 for _ in message_runs(messages)) + len(tools)


@dataclass(frozen=True)
class Words:
    """Every word takes one token, and nothing else does."""

    name: str = "words"
    exact: bool = True

    def count(self, text: str) -> int:
        return len(text.split())

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        return sum(self.count(one.content) for one in messages) + len(tools)


O200K = token_counter()
CHARACTERS = token_counter(len, name="characters")
PER_MESSAGE = PerMessage()
WORDS = Words()
COUNTERS: tuple[TokenCounter, ...] = (O200K, CHARACTERS, PER_MESSAGE, WORDS)

RULES = (
    TemplateRules(),
    TemplateRules("single", alternating=True),
    template_rules("gemma-3-27b-it"),
    template_rules("mistral-large"),
    template_rules("claude-sonnet-4-5"),
)
TOOLS: tuple[tuple[Mapping[str, object], ...], ...] = (
    (),
    ({"name": "get_level", "parameters": {"type": "object"}},),
)


def system(text: str = "Be brief.") -> Segment:
    return Segment(text, "system", "system")


def user(text: str, **fields: object) -> Segment:
    return replace(Segment(text), **fields)  # type: ignore[arg-type]


def assistant(text: str, **fields: object) -> Segment:
    return replace(Segment(text, "assistant"), **fields)  # type: ignore[arg-type]


def note(text: str) -> Segment:
    return Segment(text, "user", "moderator")


def call(name: str, arguments: str = "{}", **fields: object) -> Segment:
    made = Segment(arguments, "assistant", "tool_call", title="search", call_id=name)
    return replace(made, **fields)  # type: ignore[arg-type]


def result(name: str, text: str = "ok", **fields: object) -> Segment:
    made = Segment(text, "tool", "tool_result", title="search", call_id=name)
    return replace(made, **fields)  # type: ignore[arg-type]


def reasoning(text: str = "", *, signed: bool = True, **fields: object) -> Segment:
    made = Segment(text, "assistant", "reasoning", locked=signed)
    return replace(made, metadata={"opaque": 30} if signed else {}, **fields)  # type: ignore[arg-type]


def named(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Give every segment an id of its own, so that they can be told apart."""
    return tuple(replace(one, id=f"s{number}") for number, one in enumerate(segments))


def ordinary(turns: int, *, seed: int = 0, words: int = 30) -> tuple[Segment, ...]:
    """A chat of an assistant that now and then calls tools, as many do."""
    random = Random(seed)
    segments = [system("You watch the pumps. Answer in one sentence.")]
    for turn in range(turns):
        segments.append(user(_sentence(random, words)))
        for number in range(random.choice((0, 0, 1, 2))):
            name = f"c{turn}.{number}"
            segments.append(call(name, f'{{"q": "{_sentence(random, 5)}"}}'))
            segments.append(result(name, _sentence(random, words * random.choice((1, 4)))))
        segments.append(assistant(_sentence(random, words)))
    return named(segments)


_WORDS = "pump valve level alarm station gate reading pressure bar shut open check report".split()


def _sentence(random: Random, words: int) -> str:
    return " ".join(random.choice(_WORDS) for _ in range(random.randint(1, 2 * words))) + "."


TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "",
            " ",
            "\n\n",
            "\x00",
            "\ud800",
            "\ufeffabc\r\n",
            "水泵停止。" * 20,
            "👩‍👩‍👧‍👦🇨🇭" * 30,
            "e\u0301" * 150,
            "word " * 80,
            "0f" * 200,
            '{"a": "' + "x" * 300 + '"}',
            "[... 12 characters elided ...]",
        ]
    ),
)
_IDS = st.sampled_from(["a", "b", "c", "", "a"])
_KINDS: tuple[tuple[Role, Kind], ...] = (
    ("user", "turn"),
    ("user", "turn"),
    ("assistant", "turn"),
    ("assistant", "turn"),
    ("assistant", "tool_call"),
    ("assistant", "tool_call"),
    ("tool", "tool_result"),
    ("tool", "tool_result"),
    ("user", "tool_result"),
    ("assistant", "reasoning"),
    ("user", "moderator"),
    ("system", "system"),
    ("user", "briefing"),
    ("user", "document"),
    ("user", "media"),
    ("user", "summary"),
    ("system", "memory"),
    ("user", "custom"),
)


@st.composite
def segments(draw: st.DrawFn) -> Segment:
    """One segment of any kind."""
    role, kind = draw(st.sampled_from(_KINDS))
    of_tool = kind in ("tool_call", "tool_result")
    signed = kind == "reasoning" and draw(st.booleans())
    rarely = st.sampled_from([False] * 9 + [True])
    made = Segment(
        draw(TEXTS),
        role,
        kind,
        title="search" if of_tool else "",
        author=draw(st.sampled_from(["", "", "Ann"])),
        locked=signed or draw(rarely),
        required=True if draw(rarely) else None,
        group=draw(st.sampled_from([""] * 12 + ["g"])),
        message=draw(st.sampled_from(["", "", "", "m1", "m2"])),
        call_id=draw(_IDS) if of_tool else "",
        media=(IMAGE,) if kind == "media" or (kind == "turn" and draw(rarely)) else (),
        metadata={"opaque": 30} if signed else {},
    )
    return replace(made, required=False) if made.is_required and draw(rarely) else made


def conversations(
    *, min_size: int = 0, max_size: int = 14
) -> st.SearchStrategy[tuple[Segment, ...]]:
    """Anything that can stand in a view, in any order, with ids to tell the segments apart."""
    return st.lists(segments(), min_size=min_size, max_size=max_size).map(named)


def orderly(segment_list: Sequence[Segment]) -> tuple[Segment, ...]:
    """Let a conversation end with something that a user said, as most requests do."""
    return named([*segment_list, user("And now?")])


def budgets(total: int) -> st.SearchStrategy[Budget]:
    """Budgets around `total` tokens, from next to none, with other ceilings now and then."""

    def made(
        left: int, output_reserve: int, headroom: int, max_bytes: int | None, max_items: int | None
    ) -> Budget:
        window = left + output_reserve + headroom
        return Budget(window, output_reserve, max_bytes, max_items, headroom)

    return st.builds(
        made,
        left=st.integers(1, max(2, total + 5)),
        output_reserve=st.sampled_from([0] * 5 + [1, 10, 10**9]),
        headroom=st.sampled_from([0] * 5 + [1]),
        max_bytes=st.sampled_from([None] * 5 + [1, 50, 400]),
        max_items=st.sampled_from([None] * 5 + [1, 3, 6]),
    )
