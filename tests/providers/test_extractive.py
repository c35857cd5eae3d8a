"""The generator without a model: quotations, their marks, their budget, and nothing made up."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.distill import distill
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document, Generation, Segment, Usage
from orchestrator_context.prompts import (
    NOTHING_RELEVANT,
    Material,
    free_prefix,
    mark,
    read_marks,
    render,
)
from orchestrator_context.protocols import Generator
from orchestrator_context.providers.extractive import ExtractiveGenerator
from orchestrator_context.tokens import token_counter
from tests.linear import assert_linear

COUNTER = token_counter()
GENERATOR = ExtractiveGenerator()

QUEUES = [
    'class Queue:\n    """A queue for producer and consumer coroutines."""\n',
    '    def join(self):\n        """Block until all items have been gotten and processed.\n\n'
    "        The count goes down whenever a consumer calls done().\n"
    '        """\n        while self.pending:\n            self.wait(45)\n',
    "    def close(self):\n        self.closed = True\n",
]


def document(question: str, passages: Sequence[str], name: str = "queues.py") -> Segment:
    prefix = free_prefix(passages)
    body = "\n".join(f"{mark(at, prefix)}\n{text}" for at, text in enumerate(passages))
    return Segment(render(Material(question, body, "document", name, "1-9", prefix)))


def notes(question: str, body: str, prefix: str = "S") -> Segment:
    return Segment(render(Material(question, body, "notes", prefix=prefix)))


def generated(*messages: Segment, max_output_tokens: int = 300) -> Generation:
    async def main() -> Generation:
        return await GENERATOR.generate(messages, max_output_tokens=max_output_tokens)

    return anyio.run(main)


def lines(*messages: Segment, max_output_tokens: int = 300) -> list[str]:
    return generated(*messages, max_output_tokens=max_output_tokens).text.split("\n")


def test_it_is_a_generator_without_price() -> None:
    profile = GENERATOR.profile
    assert isinstance(GENERATOR, Generator)
    assert (profile.name, profile.window) == ("extractive", 8_000)
    assert profile.price is not None
    assert profile.price.of(Usage(10_000, 10_000)) == 0


@pytest.mark.parametrize("window", [0, -1, True, 1.5])
def test_the_window_is_checked(window: int) -> None:
    with pytest.raises(ConfigurationError, match="window"):
        ExtractiveGenerator(window=window)


@pytest.mark.anyio
async def test_the_limit_is_checked() -> None:
    with pytest.raises(ConfigurationError, match="max_output_tokens"):
        await GENERATOR.generate([Segment("x")], max_output_tokens=0)


@pytest.mark.anyio
async def test_it_answers_on_every_backend() -> None:
    message = document("When does join stop blocking?", QUEUES)
    answer = await GENERATOR.generate([message], max_output_tokens=100)
    assert answer.text.startswith("- `Queue.join()`: Block until all items have been gotten")
    assert answer.finish_reason == "stop"


def test_a_quotation_tells_what_it_stands_under_and_where() -> None:
    assert lines(document("How long does join wait for the pending?", QUEUES))[0] == (
        "- `Queue.join()`: Block until all items have been gotten and processed. The count goes "
        "down whenever a consumer calls done(). `while self.pending: self.wait(45)` [S2]"
    )


def test_a_gap_is_shown() -> None:
    passages = ["The pump is red. Rain fell and fell. The pump is old.\n"]
    assert lines(document("pump", passages, "")) == ["- The pump is red. … The pump is old. [S1]"]


def test_without_a_heading_the_document_names_the_quotation() -> None:
    message = document(
        "How much does it hold?", ["The pump holds 2.1 bar."], "plant/north pump.txt"
    )
    assert lines(message) == ["- north pump: The pump holds 2.1 bar. [S1]"]


def test_the_best_line_comes_first() -> None:
    passages = ["The pump is old.\n", "Rain fell.\n", "The pump of the gate holds 2.1 bar.\n"]
    assert lines(document("What does the pump of the gate hold?", passages, ""))[0] == (
        "- The pump of the gate holds 2.1 bar. [S3]"
    )


def test_equal_sentences_share_a_line() -> None:
    passages = ["The pump holds 2.1 bar.\n", "Rain fell.\n", "The pump holds 2.1 bar.\n"]
    assert lines(document("What does the pump hold?", passages, "")) == [
        "- The pump holds 2.1 bar. [S1][S3]"
    ]


@pytest.mark.parametrize(
    "message",
    [
        document("Who painted the Mona Lisa?", QUEUES),
        document("", QUEUES),
        document("What is it?", QUEUES),
        document("join pump valve gate station wait", ["They wait."]),  # one word of six
        document("pump", []),
        notes("pump", ""),
        notes("pump", "- Rain fell. [S1]"),
        Segment("pump"),
        Segment("The pump is red.", role="assistant"),
    ],
)
def test_nothing_relevant(message: Segment) -> None:
    answer = generated(message)
    assert answer.text == NOTHING_RELEVANT
    assert answer.finish_reason == "stop"


@pytest.mark.parametrize("most", [1, 2, 5])
def test_an_answer_that_does_not_fit_is_cut_off_and_not_irrelevant(most: int) -> None:
    answer = generated(document("When does the pump stop?", ["It stops."]), max_output_tokens=most)
    assert COUNTER.count(answer.text) <= most
    assert answer.finish_reason == "length"


def test_no_message_at_all() -> None:
    assert generated().text == NOTHING_RELEVANT


def test_notes_become_fewer_and_the_best_comes_first() -> None:
    body = (
        "- `Queue`: A queue for producer and consumer coroutines. [S1]\n"
        "- Rain fell. [S2]\n\n"
        "- `Queue.join()`: Block until all items are done. … It waits 45 s. [S3, S5]\n"
        "- lunch: Lunch was good. [S4]"
    )
    assert lines(notes("How long does Queue.join() wait?", body))[0] == (
        "- `Queue.join()`: Block until all items are done. … It waits 45 s. [S3][S5]"
    )


def test_equal_notes_unite_their_marks() -> None:
    body = "- The pump holds 2.1 bar. [S1]\n- Rain fell. [S2]\n- The pump holds 2.1 bar. [S4][S1]"
    assert lines(notes("What does the pump hold?", body)) == ["- The pump holds 2.1 bar. [S1][S4]"]


def test_marks_inside_of_a_line_belong_to_what_is_before_them() -> None:
    body = "The pump holds 2.1 bar [S2, S4]. The valve is blue [s7]."
    assert lines(notes("What does the pump hold?", body)) == ["- The pump holds 2.1 bar [S2][S4]"]
    assert lines(notes("Which colour is the valve?", body)) == ["- The valve is blue [S7]"]


def test_an_answer_survives_a_second_reading_unchanged() -> None:
    question = "How long does join wait for the pending?"
    first = generated(document(question, QUEUES)).text
    assert "`while self.pending: self.wait(45)`" in first
    assert sorted(generated(notes(question, first)).text.split("\n")) == sorted(first.split("\n"))


def test_any_other_prompt_is_quoted_without_marks() -> None:
    answer = lines(
        Segment("Tell me about the pump.", role="system"),
        Segment("Which pressure?", role="user"),
        Segment("Lunch was good. The pump has a pressure of 2.1 bar [S1]. Rain fell."),
    )
    assert answer == ["- The pump has a pressure of 2.1 bar [S1]."]


def test_text_can_not_pass_for_a_mark() -> None:
    passages = ["pump = colour[\n   S2]\n", "The colour of the pump is blue.\n"]
    message = document("Which colour is the pump?", passages, "")
    assert 'marks="S"' in message.content
    assert lines(message) == ["- The colour of the pump is blue. [S2]"]


def test_names_of_documents_do_not_break_lines_or_forge_marks() -> None:
    answer = lines(document("What does the pump hold?", ["The pump holds 2 bar."], "a\nb: c.txt"))
    assert answer == ["- a b: c: The pump holds 2 bar. [S1]"]
    forged = document("What does the pump hold?", ["The pump holds 2 bar."], "see [S7].txt")
    assert lines(forged) == [NOTHING_RELEVANT]


def test_without_room_for_a_sentence_its_beginning_is_quoted_and_the_reason_is_length() -> None:
    message = document("What does the pump hold?", ["The pump holds two bar or more on Sundays."])
    answer = generated(message, max_output_tokens=12)
    assert re.fullmatch(r"- The pump holds( \w+)*… \[S1\]", answer.text)
    assert answer.finish_reason == "length"


def test_usage_is_counted() -> None:
    messages = (Segment("Quote.", role="system"), document("What does join do?", QUEUES))
    answer = generated(*messages)
    assert answer.usage == Usage(COUNTER.count_messages(messages), COUNTER.count(answer.text))


class Counting:
    """Counts words, and tells in which threads."""

    name = "words"
    exact = True

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def count(self, text: str) -> int:
        self.threads.add(threading.get_ident())
        return len(text.split())

    def count_messages(
        self, messages: Sequence[Segment], *, tools: Sequence[Mapping[str, object]] = ()
    ) -> int:
        assert not tools
        return sum(self.count(message.content) for message in messages)


@pytest.mark.anyio
@pytest.mark.parametrize(("passages", "elsewhere"), [(1, False), (400, True)])
async def test_large_prompts_do_not_hold_up_the_event_loop(passages: int, elsewhere: bool) -> None:
    counter = Counting()
    generator = ExtractiveGenerator(counter=counter)
    message = document("What does the pump hold?", ["The pump holds 2.1 bar.\n"] * passages)
    answer = await generator.generate([message], max_output_tokens=2_000)
    assert answer.text.startswith("- queues: The pump holds 2.1 bar. [S1]")
    assert (threading.get_ident() not in counter.threads) is elsewhere


@pytest.mark.anyio
async def test_a_corpus_is_distilled_without_a_model() -> None:
    corpus = [
        Document("queues.py", "".join(QUEUES)),
        Document("log.md", "# Log\n\nThe pump was replaced on 3 March. Lunch was good.\n"),
        Document("泵站.md", "# 日志\n\n二号水泵停机，原因是温度超过95摄氏度。晚饭很香。\n"),
    ]
    pump = "- Log: The pump was replaced on 3 March. [S1]"
    stopped = "- 日志: 二号水泵停机，原因是温度超过95摄氏度。 [S1]"
    for question, quotation, path in (
        ("When was the pump replaced?", pump, "log.md"),
        ("二号水泵为什么停机？", stopped, "泵站.md"),
    ):
        result = await distill(corpus, question, client=ExtractiveGenerator())
        assert result.text == quotation
        assert [citation.source.path for citation in result.citations] == [path]
        assert result.report.cost == 0
        assert result.report.complete


WORDS = "pump valve 45 2.1 Siemens fetch_id() the 水泵 насос `x` … [ S1 ] : - # \n".split(" ")
text = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
question = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


@given(question, st.lists(text, max_size=5), st.integers(1, 200))
def test_documents(question: str, passages: list[str], max_output_tokens: int) -> None:
    message = document(question, passages, "")
    prefix = free_prefix(passages)
    answer = generated(message, max_output_tokens=max_output_tokens)
    assert generated(message, max_output_tokens=max_output_tokens) == answer
    if answer.text in (NOTHING_RELEVANT, "…"):
        return
    assert COUNTER.count(answer.text) <= max_output_tokens
    for line in answer.text.split("\n"):
        marks = read_marks(line, prefix).indexes
        assert marks
        assert all(0 <= index < len(passages) for index in marks)
        assert line.endswith(mark(marks[-1], prefix))


@given(question, st.lists(st.text("abc xy.\n水泵é"), max_size=5))
def test_quotations_are_verbatim(question: str, passages: list[str]) -> None:
    text = generated(document(question + " abc 水泵 x", passages, "")).text
    for line in text.split("\n") if text != NOTHING_RELEVANT else []:
        (first, *_) = read_marks(line).indexes
        source = "".join(passages[first].split())
        label, colon, said = read_marks(line).plain.removeprefix("- ").partition(": ")
        for part in (said if colon else label).split(" … "):
            assert "".join(part.strip("…").split()) in source
        assert not colon or "".join(label.split()) in "".join("".join(passages).split())


@given(question, st.lists(text, max_size=9).map("\n".join), st.integers(1, 200))
def test_notes(question: str, body: str, max_output_tokens: int) -> None:
    answer = generated(notes(question, body), max_output_tokens=max_output_tokens)
    if answer.text != NOTHING_RELEVANT:
        assert COUNTER.count(answer.text) <= max_output_tokens
        named = read_marks(body).indexes
        assert all(index in named for index in read_marks(answer.text).indexes)


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), text), max_size=4))
def test_any_messages(turns: list[tuple[str, str]]) -> None:
    messages = [Segment(content, role=role) for role, content in turns]  # type: ignore[arg-type]
    answer = generated(*messages, max_output_tokens=50)
    assert answer.text == NOTHING_RELEVANT or COUNTER.count(answer.text) <= 50


def test_time_is_near_linear() -> None:
    def make(count: int) -> Segment:
        passages = [f"The pump {i} of station {i % 89} holds {i % 7} bar.\n" for i in range(count)]
        return document("What does pump 7 hold?", passages)

    assert_linear(generated, make, small=500)
