from __future__ import annotations

from collections.abc import Sequence

import pytest

from orchestrator_context.exceptions import ProviderUnavailableError
from orchestrator_context.models import Media, Segment
from orchestrator_context.tokens import precount, token_counter, upper_estimate

pytestmark = pytest.mark.anyio


class Service:
    """Counts a token for each character, 4 for each message and 3 for each request."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def count_tokens(self, messages: Sequence[Segment]) -> int:
        texts = [message.content for message in messages]
        assert all(text.strip() for text in texts), "services refuse blank texts"
        self.asked.append(texts)
        return 3 + sum(len(text) + 4 for text in texts)


async def test_known_texts_are_counted_as_the_service_counts() -> None:
    service = Service()
    counter = await precount(["one", "twelve chars", "one", "", " "], service)
    assert [counter.count(text) for text in ("one", "twelve chars", "")] == [3, 12, 0]
    assert counter.exact
    assert counter.count_messages([Segment("one")]) == 3 + 4 + 3
    assert counter.exact
    assert [texts for texts in service.asked if texts[0] != "a"] == [["one"], ["twelve chars"]]


async def test_other_texts_are_estimated_and_that_is_said() -> None:
    counter = await precount(["one"], Service())
    assert counter.count("one") == 3
    assert counter.exact
    assert counter.count("something else") >= upper_estimate("something else")
    assert not counter.exact
    assert counter.count("one") == 3
    assert not counter.exact


async def test_nothing_is_claimed_before_anything_was_counted() -> None:
    assert not (await precount(["one"], Service())).exact


async def test_several_messages_are_bounded_from_above() -> None:
    service = Service()
    messages = [Segment("one"), Segment("two", role="assistant"), Segment("one")]
    counter = await precount(["one", "two"], service)
    assert counter.count_messages(messages) >= await service.count_tokens(messages)
    assert not counter.exact


async def test_an_exact_fallback_keeps_it_exact() -> None:
    counter = await precount(["one"], Service(), fallback=token_counter(len))
    assert counter.count("unknown") == 7
    assert counter.exact


async def test_media_and_tools_are_counted_too() -> None:
    counter = await precount(["one"], Service())
    plain = counter.count_messages([Segment("one")])
    image = counter.count_messages([Segment("one", media=(Media("image", detail="low"),))])
    assert image == plain + 4_784  # of an unknown size
    assert not counter.exact
    assert counter.count_messages([Segment("one")], tools=[{"name": "f"}]) > plain


async def test_names_tell_other_counts_apart() -> None:
    first, second = await precount(["one"], Service()), await precount(["two"], Service())
    again = await precount(["one"], Service())
    assert first.name == again.name != second.name


async def test_errors_of_the_service_pass() -> None:
    class Down:
        async def count_tokens(self, messages: Sequence[Segment]) -> int:
            raise ProviderUnavailableError(f"{len(messages)}", provider="test", status=503)

    with pytest.raises(ProviderUnavailableError):
        await precount(["one"], Down())
