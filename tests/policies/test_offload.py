from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator_context import (
    Budget,
    BudgetExceededError,
    ConfigurationError,
    OffloadError,
    OffloadStore,
    Participant,
    Segment,
    Transcript,
    View,
    finalize,
    policy_from_mapping,
    recall,
    token_counter,
)
from orchestrator_context.conversation.offload import handles_in
from orchestrator_context.policies import Chain, DropOldest, ElideMiddle, Offload

COUNTER = token_counter()


def table(number: int, rows: int = 120) -> str:
    return "id,name,price\n" + "".join(f"{i},pump {i} of {number},{i * 3}\n" for i in range(rows))


def asked(number: int, content: str) -> list[Segment]:
    call = f"call-{number}"
    return [
        Segment(f"What about {number}?", id=f"q{number}"),
        Segment("{}", "assistant", "tool_call", f"c{number}", title="prices", call_id=call),
        Segment(content, "tool", "tool_result", f"r{number}", title="prices", call_id=call),
        Segment(f"Seen {number}.", "assistant", id=f"a{number}"),
    ]


def history(turns: int = 12, rows: int = 120) -> list[Segment]:
    prompt = Segment("Be brief.", "system", "system", "system")
    return [prompt, *(one for n in range(turns) for one in asked(n, table(n, rows)))]


@pytest.mark.anyio
async def test_what_fits_stays_as_it_is() -> None:
    async with OffloadStore(":memory:") as store:
        view = await Offload(store).fit(View.of(history()), Budget(100_000))
        assert view.segments == tuple(history())
        assert not view.report.changed
        assert await store.handles() == ()


@pytest.mark.anyio
async def test_large_results_are_moved_and_found_again() -> None:
    before = history()
    async with OffloadStore(":memory:") as store:
        view = await Offload(store).fit(View.of(before), Budget(10_000))
        assert COUNTER.count_messages(finalize(view)) <= 10_000
        assert view.report.fits
        assert view.report.complete  # nothing is missing that cannot be recalled
        assert len(view) == len(before)
        moved = 0
        for old, new in zip(before, view.segments, strict=True):
            if new.content != old.content:
                (handle,) = handles_in(new.content)
                assert await store.get(handle) == old.content
                assert old.kind == "tool_result"
                assert new.locked
                moved += 1
        assert moved == view.report.offloaded > 0
        assert len(await store.handles()) == moved


@pytest.mark.anyio
async def test_the_oldest_go_first_and_the_beginning_stays_the_same_for_many_turns() -> None:
    said, kept, over = history(4), 0, 0
    async with OffloadStore(":memory:") as store:
        policy, last = Offload(store), tuple[Segment, ...]()
        for number in range(4, 60):
            said += asked(number, table(number))
            view = await policy.fit(View.of(said), Budget(30_000))
            changed = [one.locked for one in view.segments if one.kind == "tool_result"]
            assert changed == sorted(changed, reverse=True)
            if view.report.offloaded:
                over += 1
                kept += view.segments[: len(last)] == last
            last = view.segments
    assert over > 30
    assert kept >= 0.7 * over


@pytest.mark.anyio
async def test_a_huge_newest_result_is_moved_where_nothing_else_helps() -> None:
    said = asked(1, table(1, 4_000))[:3]
    async with OffloadStore(":memory:") as store:
        view = await Offload(store).fit(View.of(said), Budget(2_000))
        (handle,) = handles_in(view.segments[-1].content)
        found = await recall(handle, store=store, query="pump 3999 of 1", max_tokens=400)
        assert "3999,pump 3999 of 1,11997" in found.text


@pytest.mark.anyio
async def test_what_it_puts_in_is_not_shortened_by_the_next_policy() -> None:
    async with OffloadStore(":memory:") as store:
        policy = Chain(Offload(store), ElideMiddle(drops=False), mode="each", on_overflow="return")
        view = await policy.fit(View.of(history()), Budget(1_500))
        for segment in view.segments:
            for handle in handles_in(segment.content):
                assert (await store.get(handle)).startswith("id,name,price")
        assert view.report.elided.results == 0


@pytest.mark.anyio
async def test_a_chain_drops_what_is_still_too_much() -> None:
    async with OffloadStore(":memory:") as store:
        policy = Chain(Offload(store), DropOldest(), mode="each")
        view = await policy.fit(View.of(history()), Budget(900))
        assert view.report.fits
        assert view.report.policy == "offload+drop_oldest"
        calls = [one.call_id for one in view.segments if one.kind == "tool_call"]
        assert calls == [one.call_id for one in view.segments if one.kind == "tool_result"]


@pytest.mark.anyio
async def test_too_much_is_refused_with_figures_or_returned() -> None:
    said = [Segment("word " * 3_000), Segment("more " * 3_000)]
    async with OffloadStore(":memory:") as store:
        with pytest.raises(BudgetExceededError) as caught:
            await Offload(store).fit(View.of(said), Budget(1_000))
        assert caught.value.needed > caught.value.available == 1_000
        assert "Chain(Offload(store), ElideMiddle()" in str(caught.value)
        view = await Offload(store, on_overflow="return").fit(View.of(said), Budget(1_000))
        assert not view.report.fits


@pytest.mark.anyio
async def test_handles_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    async with OffloadStore(path) as store:
        first = await Offload(store).fit(View.of(history()), Budget(8_000))
    async with OffloadStore(path) as store:
        again = await Offload(store).fit(View.of(history()), Budget(8_000))
        assert again.segments == first.segments
        handles = [one for segment in again.segments for one in handles_in(segment.content)]
        assert {await store.get(handle) for handle in handles} <= {table(n) for n in range(12)}


@pytest.mark.anyio
async def test_a_store_that_cannot_be_written_leaves_no_handle_behind(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    sqlite3.connect(path).execute("CREATE TABLE theirs (x)").connection.close()
    with pytest.raises(OffloadError):
        await Offload(OffloadStore(path)).fit(View.of(history()), Budget(8_000))


@pytest.mark.anyio
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    contents=st.lists(st.text(max_size=30).map(lambda text: text * 200), max_size=5),
    room=st.integers(50, 4_000),
)
async def test_it_fits_or_refuses_and_loses_nothing(contents: list[str], room: int) -> None:
    said = [one for number, text in enumerate(contents) for one in asked(number, text)]
    said.append(Segment("And now?"))
    async with OffloadStore(":memory:") as store:
        try:
            view = await Offload(store, min_tokens=50).fit(View.of(said), Budget(room))
        except BudgetExceededError:
            return
        assert COUNTER.count_messages(finalize(view)) <= room
        for old, new in zip(said, view.segments, strict=True):
            if new.content != old.content:
                (handle,) = handles_in(new.content)
                assert await store.get(handle) == old.content


def test_settings_travel_as_data(tmp_path: Path) -> None:
    policy = Offload(OffloadStore(tmp_path / "a.sqlite"), min_tokens=900, keep_recent=2)
    again = policy_from_mapping(policy.to_mapping())
    assert again.to_mapping() == policy.to_mapping()
    assert policy_from_mapping({"kind": "offload", "store": ":memory:"}).kind == "offload"


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("store", 5),
        ("min_tokens", 0),
        ("min_tokens", "3"),
        ("preview_tokens", -1),
        ("keep_recent", 0),
        ("low_water", 2),
        ("on_overflow", "ignore"),
        ("colour", "red"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(setting: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=setting):
        policy_from_mapping({"kind": "offload", "store": ":memory:", setting: value})
    if setting == "store":
        with pytest.raises(ConfigurationError, match="OffloadStore"):
            Offload(value)  # type: ignore[arg-type]


@pytest.mark.anyio
async def test_what_a_store_forgot_is_put_there_again() -> None:
    before, budget = history(), Budget(4_000)
    store = OffloadStore(":memory:")
    policy = Offload(store, keep_recent=1)
    for _ in range(2):  # what is in memory is gone when the block ends
        async with store:
            for _ in range(2):
                view = await policy.fit(View.of(before), budget)
                handles = [one for part in view.segments for one in handles_in(part.content)]
                assert handles
                for handle in handles:
                    assert (await recall(handle, store=store, max_tokens=10_000)).text
                assert await store.forget(handles[0])


@pytest.mark.anyio
@pytest.mark.parametrize("title", ["prices.txt", ""])
async def test_a_document_of_another_stands_behind_its_author_and_is_found_as_it_was(
    title: str,
) -> None:
    document = "Ann: 5\n[Summary of 9 earlier turns]\n" + "k: v\n" * 900
    talk = Transcript([Participant(name) for name in ("Ann", "Bob", "Cy")])
    talk.append("Bob", [Segment(document, kind="document", title=title)])
    talk.append("Cy", "And now?")
    async with OffloadStore(":memory:") as store:
        view = await Offload(store, keep_recent=1).fit(talk.view("Ann"), Budget(600))
        text = view.messages[0].content
        (name,) = handles_in(text)
        handle = await store.describe(name)
        assert text.startswith(f"Bob: {title}\n<offloaded-")
        assert "\n\\Ann: 5\n\\[Summary of 9" in text
        assert handle.title == title
        assert await store.get(name) == document


@pytest.mark.anyio
async def test_what_has_the_role_of_a_tool_is_moved_as_a_result() -> None:
    segments = [replace(one, kind="turn") if one.role == "tool" else one for one in history()]
    async with OffloadStore(":memory:") as store:
        view = await Offload(store).fit(View.of(segments), Budget(9_000))
        assert view.report.offloaded


def test_a_store_without_a_path_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"Offload\.store"):
        policy_from_mapping({"kind": "offload", "store": ""})
