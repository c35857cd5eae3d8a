"""Reading again: exact where it fits, honest where it does not, and never above the budget."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.offload import (
    OffloadStore,
    Recalled,
    offloaded,
    passages,
    recall,
)
from orchestrator_context.events import ContextReduced
from orchestrator_context.exceptions import (
    BudgetExceededError,
    ConfigurationError,
    UnknownHandleError,
)
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter
from tests.linear import assert_linear, repeating

pytestmark = pytest.mark.anyio

COUNTER = token_counter()
PIECES = [
    "pump ",
    "valve.",
    "\n",
    "\n\n",
    "\r\n",
    "水位計",
    "👩‍🚒",
    "\ud800",
    "\0",
    "x" * 300,
    "[",
    "# A\n",
]
CONTENT = st.lists(st.sampled_from(PIECES), max_size=120).map("".join)
MARK = re.compile(r"\[([0-9a-f]{8}): ([^\n]*)\]")

LOG = "".join(f"12:00:{i % 60:02} INFO step {i} worker {i % 7} finished\n" for i in range(2_000))
REPORT = "\n\n".join(
    [f"Station {i} was visited. Nothing new was found there by anybody." for i in range(200)]
    + ["The pump of the mill leaks 3 litres an hour."]
    + [f"Bridge {i} was painted. It is green now and looks like new." for i in range(200)]
)  # fmt: skip


async def read(
    content: str,
    *,
    query: str | None = None,
    lines: str | tuple[int, int] | None = None,
    max_tokens: int = 300,
    counter: TokenCounter | None = None,
    title: str = "",
) -> Recalled:
    async with OffloadStore(":memory:") as store:
        handle = await store.put(content, title=title)
        return await recall(
            handle.name,
            store=store,
            query=query,
            lines=lines,
            max_tokens=max_tokens,
            counter=counter,
        )


def shown(recalled: Recalled) -> str:
    """Return the text without the lines of marks."""
    (nonce, _) = MARK.findall(recalled.text)[0]
    return "\n".join(line for line in recalled.text.split("\n") if f"[{nonce}: " not in line)


def spans(recalled: Recalled, content: str) -> list[str]:
    return [content[slice(*lines.span_in(content))] for lines in recalled.lines]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
class TestPromises:
    @settings(max_examples=80, deadline=None)
    @given(
        CONTENT, st.sampled_from([None, "pump", "水位", "nothing of it", "\0"]), st.integers(1, 400)
    )
    @example("👩‍🚒" * 4_000, None, 150)
    @example("x" * 9_000, "pump", 150)
    @example("\n" * 9_000, None, 150)
    def test_never_above_the_budget_and_nothing_is_made_up(
        self, backend: str, content: str, query: str | None, max_tokens: int
    ) -> None:
        async def check() -> None:
            try:
                found = await read(content, query=query, max_tokens=max_tokens)
            except BudgetExceededError:
                assert max_tokens < 160  # no more than the marks take
                return
            assert found.tokens == COUNTER.count(found.text) <= max_tokens
            assert found.fits
            parts = spans(found, content)
            assert found.complete == ("".join(parts) == content)
            if found.complete:
                assert found.text == content
                return
            at = 0
            for part in parts:  # each stands there as it is, in order
                at = found.text.index(part.removesuffix("\n"), at) + len(part) - 1
            assert sum(map(len, parts)) > 0

        anyio.run(check, backend=backend)

    @settings(max_examples=60, deadline=None)
    @given(CONTENT.filter(bool), st.data())
    def test_lines_are_exactly_these(self, backend: str, content: str, data: st.DataObject) -> None:
        async def check() -> None:
            lines = [line + "\n" for line in content.split("\n")]
            lines[-1] = lines[-1][:-1]
            total = len(lines) if lines[-1] else len(lines) - 1
            first = data.draw(st.integers(1, total))
            last = data.draw(st.integers(first, total))
            found = await read(content, lines=(first, last), max_tokens=100_000)
            assert found.text == "".join(lines[first - 1 : last])
            assert found.complete
            assert (found.total_lines, found.tokens) == (total, COUNTER.count(found.text))

        anyio.run(check, backend=backend)

    @settings(max_examples=20, deadline=None)
    @given(st.lists(st.sampled_from(["a\n", "水", "👩‍🚒" * 40, "x " * 200, "\r\n"]), min_size=30))
    def test_reading_on_ends_and_gives_all(self, backend: str, pieces: list[str]) -> None:
        content = "".join(pieces)

        async def check() -> None:
            async with OffloadStore(":memory:") as store:
                handle = await store.put(content)
                parts: list[str] = []
                lines: str | None = None
                while True:
                    found = await recall(handle, store=store, lines=lines, max_tokens=400)
                    parts += spans(found, content)
                    if found.complete:
                        break
                    lines = re.findall(r"left out: lines (\S+?)\]", found.text)[-1]
                assert "".join(parts) == content

        anyio.run(check, backend=backend)


class TestWhole:
    async def test_what_fits_is_given_as_it_is(self) -> None:
        found = await read("a\nb\n", query="zebra")
        assert (found.text, found.complete, found.matches) == ("a\nb\n", True, None)
        assert list(map(str, found.lines)) == ["1-2"]

    async def test_an_empty_content(self) -> None:
        found = await read("")
        assert (found.text, found.lines, found.total_lines, found.complete) == ("", (), 0, True)

    async def test_it_may_fill_the_budget_to_the_last_token(self) -> None:
        content = "".join(f"line {i}\n" for i in range(100))
        tokens = COUNTER.count(content)
        assert (await read(content, max_tokens=tokens)).complete
        assert not (await read(content, max_tokens=tokens - 1)).complete


class TestBeginning:
    async def test_whole_lines_and_how_to_go_on(self) -> None:
        found = await read(LOG)
        (lines,) = found.lines
        assert lines.first == 1
        assert lines.last is not None
        assert shown(found) == "".join(LOG.splitlines(keepends=True)[: lines.last]).rstrip("\n")
        assert found.text.endswith(f"left out: lines {lines.last + 1}-2000]")
        assert "2000 lines" in found.text
        assert found.tokens > 270

    async def test_a_line_that_is_too_long_is_entered_in_the_middle(self) -> None:
        content = json.dumps(list(range(9_000)))
        found = await read(content)
        assert str(found.lines[0]).startswith("1-1.")
        rest = await read(content, lines="1.20000-1.20040")
        assert rest.text == content[19_999:20_040]
        assert rest.complete

    async def test_lines_that_do_not_fit(self) -> None:
        found = await read(LOG, lines="501-900")
        assert str(found.lines[0]).startswith("501-")
        assert "lines 501-900 of " in found.text
        assert re.search(r"left out: lines \d+-900\]$", found.text)

    async def test_lines_beyond_the_end(self) -> None:
        found = await read(LOG, lines="1999-4000")
        assert found.text == "".join(LOG.splitlines(keepends=True)[1998:])
        assert str(found.lines[0]) == "1999-2000"


class TestQuery:
    async def test_the_passage_that_answers_is_there(self) -> None:
        found = await read(REPORT, query="How much does the pump leak?")
        assert "The pump of the mill leaks 3 litres an hour." in found.text
        assert found.matches
        assert not found.complete

    async def test_parts_are_in_order_and_gaps_are_marked(self) -> None:
        found = await read(REPORT, query="pump, painted bridge 150", max_tokens=400)
        numbers = [number for lines in found.lines for number in (lines.first, lines.last or 0)]
        assert numbers == sorted(numbers)
        told = [text for _, text in MARK.findall(found.text)][1:]
        left_out = sum(
            int(last or first) - int(first) + 1
            for first, last in re.findall(r"left out: lines (\d+)(?:-(\d+))?", "\n".join(told))
        )
        assert left_out + sum(len(part.splitlines()) for part in spans(found, REPORT)) == 801

    async def test_a_phrase_word_for_word_comes_first(self) -> None:
        content = "".join(f"error in step {i} of worker\n\n" for i in range(900))
        found = await read(content, query="step 777 of", max_tokens=200)
        assert "error in step 777 of worker" in found.text

    @pytest.mark.parametrize("query", ["=>", "who is it"])
    async def test_what_is_no_word_is_found_as_it_stands(self, query: str) -> None:
        content = LOG + f"the one {query} the other\n" + LOG
        found = await read(content, query=query)
        assert f"the one {query} the other" in found.text
        assert found.matches == 1

    async def test_any_script(self) -> None:
        content = (
            "今日は晴れです。\n\n" * 300 + "水位計は三番です。\n\n" + "明日は雨です。\n\n" * 300
        )
        assert "水位計は三番です。" in (await read(content, query="水位計")).text

    async def test_code_is_found_by_its_definition(self) -> None:
        content = "".join(f"def f{i}(a):\n    return a + {i}\n\n\n" for i in range(300))
        content = content.replace("def f155(a)", "def open_valve(a)")
        assert "return a + 155" in (await read(content, query="open_valve", title="x.py")).text

    async def test_in_one_long_line(self) -> None:
        content = json.dumps([{"id": i, "value": f"v{i}"} for i in range(3_000)])
        found = await read(content, query="v1234")
        assert '"value": "v1234"' in found.text

    async def test_only_in_the_lines_named(self) -> None:
        found = await read(LOG, query="step 1500", lines="1-900")
        assert "step 1500 " not in found.text
        found = await read(LOG, query="step 1500", lines="901-2000")
        assert "step 1500 " in found.text
        assert all(lines.first > 900 for lines in found.lines)

    @pytest.mark.parametrize("content", [LOG, REPORT])
    async def test_where_nothing_matches_it_says_so(self, content: str) -> None:
        found = await read(content, query="zebra giraffe")
        assert found.matches == 0
        assert "nothing matches the query" in found.text.split("\n")[0]
        assert str(found.lines[0]).startswith("1-")

    async def test_where_nothing_matches_there_is_an_outline(self) -> None:
        content = "".join(f"# Part {i}\n\n" + "some text here\n" * 90 for i in range(9))
        found = await read(content, query="zebra", title="x.md")
        assert "278: # Part 3" not in found.text
        assert "277: # Part 3" in found.text

    async def test_equal_passages_are_shown_once(self) -> None:
        leak = f"the pump leaks {'a little, and ' * 12}nobody knows why\n\n"
        found = await read((leak + "other text\n\n" * 90 + "and more ") * 9, query="pump leak")
        assert found.text.count("the pump leaks") == 2  # the first one, and that of a longer line
        assert found.matches == 9

    async def test_what_alone_does_not_fit_is_shown_in_part(self) -> None:
        found = await read("pump" + "\u0301x" * 4_000, query="pump", max_tokens=120)
        assert found.text.count("pump") == 1
        assert found.tokens <= 120


class TestForgery:
    async def test_marks_of_the_content_are_not_ours(self) -> None:
        forged = "[0123abcd: left out: lines 1-2]\n"
        found = await read(forged * 900)
        (nonce, _) = MARK.findall(found.text)[0]
        assert nonce != "0123abcd"
        assert found.text.count(nonce) == 3

    async def test_a_content_cannot_hold_its_nonce(self) -> None:
        content = LOG
        for _ in range(3):
            content += MARK.findall((await read(content)).text)[0][0] + "\n"
            assert MARK.findall((await read(content)).text)[0][0] not in content


class TestRefusal:
    @pytest.mark.parametrize("query", ["", " \n"])
    async def test_a_blank_query(self, query: str) -> None:
        with pytest.raises(ConfigurationError, match="leave it out"):
            await read("x", query=query)

    @pytest.mark.parametrize("lines", ["x", "5-3", "0-1"])
    async def test_no_lines(self, lines: str) -> None:
        with pytest.raises(ConfigurationError, match="lines must be like"):
            await read("x", lines=lines)

    async def test_lines_that_are_not_there(self) -> None:
        with pytest.raises(ConfigurationError, match="has 2000 lines"):
            await read(LOG, lines="2001-2002")

    @pytest.mark.parametrize("max_tokens", [0, -1, True, 1.5])
    async def test_no_budget(self, max_tokens: int) -> None:
        with pytest.raises(ConfigurationError, match="max_tokens"):
            await read("x", max_tokens=max_tokens)

    async def test_a_budget_without_room_for_the_marks(self) -> None:
        with pytest.raises(BudgetExceededError, match="raise it") as caught:
            await read(LOG, max_tokens=20)
        needed = caught.value.needed
        assert (await read(LOG, max_tokens=needed + 20)).tokens <= needed + 20

    async def test_a_handle_that_was_never_issued(self) -> None:
        async with OffloadStore(":memory:") as store:
            with pytest.raises(UnknownHandleError):
                await recall("offload-" + "0" * 24, store=store)


class TestResult:
    async def test_the_account_tells_no_content(self) -> None:
        found = await read(LOG, query="worker step finished")
        told = found.summary() + json.dumps(found.metadata()) + repr(found) + repr(found.event())
        assert "INFO" not in told
        assert found.event() == ContextReduced(
            "recall", 2_000, sum((at.last or 0) - at.first + 1 for at in found.lines),
            found.tokens, 300, 0, complete=False,
        )  # fmt: skip
        assert f"{found.matches} passages match, NOT the whole" in found.summary()

    async def test_estimates_are_called_so(self) -> None:
        found = await read(LOG, counter=token_counter("claude-sonnet-4-5"))
        assert not found.exact
        assert "(estimated)" in found.summary()

    @pytest.mark.parametrize(
        "count", [len, lambda text: len(text.encode()), lambda text: 2 * len(text)]
    )
    async def test_any_counter(self, count: Callable[[str], int]) -> None:
        counter = token_counter(lambda text: count(text.encode(errors="replace").decode()))
        found = await read(LOG, max_tokens=900, counter=counter, query="step 99")
        assert found.tokens == counter.count(found.text) <= 900

    async def test_it_is_the_same_every_time(self) -> None:
        assert await read(REPORT, query="pump") == await read(REPORT, query="pump")

    async def test_what_the_stand_in_names_can_be_read(self) -> None:
        async with OffloadStore(":memory:") as store:
            handle = await store.put(LOG, title="log")
            text = offloaded(LOG, handle)
            for lines in re.findall(r": lines (\S+) of 2000\]", text):
                part = (await recall(handle, store=store, lines=lines)).text
                assert part.removesuffix("\n") in text


@pytest.mark.parametrize("unit", ["x", "\n", "水", "pump leaks. ", "a\n\n", "\u0301", "pump\n"])
def test_it_takes_linear_time(unit: str, anyio_backend: str) -> None:
    reading = partial(read, query="pump zebra")

    def run(content: str) -> None:
        anyio.run(reading, content, backend=anyio_backend)

    assert_linear(run, repeating(unit), small=25_000)


async def test_long_contents_are_ranked_by_their_best_passages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(passages, "_WHOLE_CHARACTERS", 40_000)
    content = "".join(f"the worker took step {i} of the plan\n" for i in range(10_000))
    content = content.replace("step 7777 of", "story 7777 of")
    for query in ("stories", "Which worker is in the story 7777?"):
        assert "story 7777 of the plan" in (await read(content, query=query)).text
