"""The command `count`."""

from __future__ import annotations

from orchestrator_context.cli.corpus import Files
from orchestrator_context.cli.exits import INCOMPLETE
from orchestrator_context.cli.reporting import any_unreadable, count_json, notice_lines
from orchestrator_context.cli.writing import on_one_line, say, write
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.tokens import token_counter
from orchestrator_context.wording import counted


def count_documents(corpus: Files, model: str, *, as_json: bool, quiet: bool) -> int:
    """Write the tokens of each document and their sum; returns the exit code.

    Raises:
        ConfigurationError: there is nothing to read, or no such tokenizer file.
    """
    counter = token_counter(model)
    files: list[tuple[str, int]] = []
    for document in corpus.documents():
        tokens = counter.count(document.content)
        files.append((document.path, tokens))
        if not as_json:
            write(f"{tokens:>12,}  {on_one_line(document.path)}\n")
    if as_json:
        write(count_json(model, counter.name, counter.exact, files, corpus.notices))
    else:
        total = sum(tokens for _, tokens in files)
        amount = counted(len(files), "file", spec=",")
        write(f"{total:>12,}  in {amount}, {_kind(counter, model)}\n")
    if not quiet:
        for line in notice_lines(corpus.notices):
            say(line)
    return INCOMPLETE if any_unreadable(corpus.notices) else 0


def _kind(counter: TokenCounter, model: str) -> str:
    if counter.exact:
        return f"exact by {counter.name}"
    return f"an upper estimate, since the vocabulary of {model!r} is not known"
