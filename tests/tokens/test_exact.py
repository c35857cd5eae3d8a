from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.tokens import token_counter, upper_estimate
from orchestrator_context.tokens.exact import _tiktoken, sturdy
from tests.linear import assert_linear
from tests.tokens.samples import ALL

Count = Callable[[str], int]

ENCODINGS = ("o200k_base", "cl100k_base", "o200k_harmony", "llama3", "qwen3")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", ALL)
def test_counts_are_those_of_tiktoken(
    references: dict[str, Count], encoding: str, name: str
) -> None:
    text = ALL[name]
    assert token_counter(encoding).count(text) == references[encoding](text)


@given(text=st.text(st.characters(exclude_categories=["Cs"])), around=st.sampled_from(["", "a b"]))
def test_counts_of_any_text_are_those_of_tiktoken(
    references: dict[str, Count], text: str, around: str
) -> None:
    for encoding in ("o200k_base", "cl100k_base"):
        whole = around + text + around
        assert token_counter(encoding).count(whole) == references[encoding](whole)


def test_special_token_strings_are_plain_text() -> None:
    text = "Stop when you see <|endoftext|> or <|im_start|>system in the file."
    assert token_counter("cl100k_base").count(text) == 21
    assert token_counter("o200k_base").count(text) == 23
    for encoding in ENCODINGS:
        assert token_counter(encoding).count("<|endoftext|>") > 1
    assert token_counter("cl100k_base").count("<|endoftext|>") == 7
    assert token_counter("o200k_base").count("<|endoftext|>") == 7


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        ("a" * 200_000, 25_000, 25_000),
        ("_" * 50_000, 782, 782),
        (" " * 20_000, 157, 157),
        ("的" * 14_000, 14_000, 14_000),
        ("^" * 1_000_000, 125_000, 250_000),
        ("你好世界" * 25, 50, 125),
        ("1\n" * 30_000, 60_000, 60_000),
    ],
    ids=["a", "_", "space", "han", "^", "zh", "digits"],
)
def test_reference_numbers(text: str, o200k: int, cl100k: int) -> None:
    assert token_counter("o200k_base").count(text) == o200k
    assert token_counter("cl100k_base").count(text) == cl100k


def test_a_long_run_takes_linear_time() -> None:
    ends = map(str, range(10**6))  # no text is counted twice
    count = sturdy(token_counter("o200k_base").count)
    assert_linear(count, lambda length: "x" * length + next(ends), small=250_000)


def test_lone_surrogates_are_counted_as_replacement_characters() -> None:
    counter = token_counter()
    assert counter.count("level \ud83d high") == counter.count("level \ufffd high")
    assert counter.count("\ud83d") == counter.count("\ufffd")
    assert counter.count("\ud83d\ude00 pair") == counter.count("😀 pair")


def panicking(error: BaseException) -> Count:
    def count(text: str) -> int:
        raise error

    return count


class PanicException(BaseException):
    pass


def test_a_panic_becomes_the_upper_estimate() -> None:
    assert sturdy(panicking(PanicException()))("some text") == upper_estimate("some text")
    assert sturdy(panicking(ValueError()))("some text") == upper_estimate("some text")
    counter = token_counter(panicking(PanicException()))
    assert counter.count("some text") == upper_estimate("some text")


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(), GeneratorExit(), asyncio.CancelledError()]
)
def test_what_stops_a_program_is_no_panic(error: BaseException) -> None:
    with pytest.raises(type(error)):
        sturdy(panicking(error))("text")


def test_errors_of_a_given_function_are_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        token_counter(panicking(ZeroDivisionError())).count("text")


def test_a_given_function_may_refuse_surrogates() -> None:
    counter = token_counter(lambda text: len(text.encode()))
    assert counter.count("a\ud83d") == 4


# --- tokenizer.json


@pytest.fixture
def tokenizer_json(tmp_path: Path) -> Path:
    """A byte-level tokenizer without merges, with truncation, padding and a special token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(["<end>"])
    tokenizer.enable_truncation(max_length=5)
    tokenizer.enable_padding(length=64)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def test_a_tokenizer_file_counts_all_of_a_text_as_plain_text(tokenizer_json: Path) -> None:
    counter = token_counter(tokenizer_json)
    assert counter.exact
    assert counter.count("") == 0
    assert counter.count("twelve bytes") == 12
    assert counter.count("<end>") == 5
    assert counter.count("é\ud83d") == 5
    by_text, by_folder = token_counter(str(tokenizer_json)), token_counter(tokenizer_json.parent)
    assert counter.name == by_text.name == by_folder.name
    assert counter.name.startswith("tokenizer-")


def test_other_vocabularies_have_other_names(tokenizer_json: Path) -> None:
    name = token_counter(tokenizer_json).name
    content = json.loads(tokenizer_json.read_text())
    tokenizer_json.write_text(json.dumps(content | {"truncation": None}))
    assert token_counter(tokenizer_json).name != name


@pytest.mark.parametrize("content", [None, "", "{}", "no json"])
def test_what_is_no_tokenizer_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json"):
        token_counter(path)


# --- without quicktok


def test_tiktoken_counts_where_quicktok_is_missing(
    tiktoken_cache: Path, references: dict[str, Count], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tiktoken_cache))
    count = _tiktoken("o200k_base")
    assert count is not None
    assert count("<|endoftext|> \ud83d") == token_counter().count("<|endoftext|> \ufffd")
    assert _tiktoken("llama3") is None


WITHOUT_QUICKTOK = """
import sys
sys.modules["quicktok"] = None
sys.modules["requests"] = None
from orchestrator_context.tokens import token_counter
counter = token_counter("gpt-5")
print(counter.name, counter.exact, counter.count("Hello there") >= 2)
"""


@pytest.mark.parametrize("cached", [True, False])
def test_without_any_data_the_estimate_says_so(
    tiktoken_cache: Path, tmp_path: Path, cached: bool
) -> None:
    folder = tiktoken_cache if cached else tmp_path
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_QUICKTOK],
        env={"TIKTOKEN_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == (
        ["o200k_base", "True", "True"] if cached else ["upper-estimate", "False", "True"]
    )
