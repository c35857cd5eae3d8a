"""The commands `plan` and `select`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from io import StringIO
from pathlib import Path
from typing import cast

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from orchestrator_context.catalog import model_profile
from orchestrator_context.cli.corpus import Files
from orchestrator_context.cli.exits import INCOMPLETE, NOTHING_FOUND
from orchestrator_context.cli.reporting import any_unreadable, notice_lines
from orchestrator_context.cli.writing import json_line, on_one_line, say, write
from orchestrator_context.corpus import Corpus, Plan, Reduction, ReductionState, SelectOptions
from orchestrator_context.corpus import plan as plan_selection
from orchestrator_context.corpus import select as select_documents
from orchestrator_context.exceptions import ConfigurationError, RankIndexError, UnknownWindowError
from orchestrator_context.models import Budget, Document
from orchestrator_context.tokens import token_counter
from orchestrator_context.wording import counted

_WIDTH = 100


def budget_of(
    model: str, max_tokens: int | None, max_bytes: int | None, max_documents: int | None
) -> Budget:
    """Return the ceilings; without any, what the window of the model leaves.

    Raises:
        UnknownWindowError: there is no ceiling, and the window of the model is not known.
        ConfigurationError: a ceiling is below 1.
    """
    if max_tokens is None and max_bytes is None and max_documents is None:
        window = model_profile(model).window
        if window is None:
            raise UnknownWindowError(f"The window of {model!r} is not known; name a budget")
        return Budget.of(window, window_source="catalog")
    return Budget(max_tokens, max_bytes=max_bytes, max_items=max_documents)


@dataclass(frozen=True, slots=True)
class Selecting:
    """A plan or selection as the user asked for it.

    Attributes:
        files: what is read.
        question: the query.
        budget: the ceilings.
        options: the settings.
        model: whose tokens are counted.
        pins: paths of documents that come first.
        state: file of what was selected before, or None.
        index: file of the word index, or None.
        as_json: whether the result is written as JSON.
        quiet: whether standard error stays empty.
    """

    files: Files
    question: str
    budget: Budget
    options: SelectOptions
    model: str
    pins: Sequence[str] = ()
    state: Path | None = None
    index: Path | None = None
    as_json: bool = False
    quiet: bool = False

    def plan(self) -> int:
        """Write what each strategy would give; returns the exit code."""
        planned = plan_selection(
            self._corpus(), self.question, budget=self.budget, previous=self._before()
        )
        if self.as_json:
            notices = [asdict(notice) for notice in self.files.notices]
            data = {"model": self.model, "plan": planned.metadata(), "notices": notices}
            write(json_line(data))
        else:
            write(plan_table(planned) + planned.summary() + "\n")
        self._tell(())
        return INCOMPLETE if any_unreadable(self.files.notices) else 0

    def select(self) -> int:
        """Write the text and its report; returns the exit code."""
        self._check_state()
        reduction = select_documents(
            self._corpus(), self.question, budget=self.budget, previous=self._before()
        )
        write(self._json(reduction) if self.as_json else reduction.text)
        if self.state is not None:
            replace_file(self.state, json.dumps(reduction.state().to_mapping()) + "\n")
        missing = [f"pinned, and does not fit: {path}" for path in reduction.required_omitted]
        self._tell((reduction.summary(), *missing))
        if not reduction.documents:
            return NOTHING_FOUND
        return 0 if reduction.fits and not any_unreadable(self.files.notices) else INCOMPLETE

    def _corpus(self) -> Corpus:
        pins = set(self.pins)
        documents = [
            replace(one, pinned=True) if one.path in pins else one for one in self.files.documents()
        ]
        unknown = pins - {one.path for one in documents}
        if unknown:
            raise ConfigurationError(f"--pin names no document that was read: {min(unknown)!r}")
        return self._made(documents)

    def _made(self, documents: Sequence[Document]) -> Corpus:
        counter = token_counter(self.model)
        if self.index is None:
            return Corpus(documents, options=self.options, counter=counter)
        try:
            corpus = Corpus.load(self.index, documents, options=self.options, counter=counter)
        except RankIndexError:
            corpus = Corpus(documents, options=self.options, counter=counter)
            corpus.save(self.index)
        else:
            if not corpus.has_counts:
                with suppress(RankIndexError):  # it serves as it is
                    corpus.save(self.index)
        return corpus

    def _check_state(self) -> None:
        """Refuse a state that could not be written, before there is a text."""
        if self.state is not None and not os.access(self.state.parent, os.W_OK | os.X_OK):
            raise ConfigurationError(
                f"--state {self.state} cannot be written: there is no folder "
                f"{str(self.state.parent)!r} in which files may be made"
            )

    def _before(self) -> ReductionState | None:
        if self.state is None or not self.state.exists():
            return None
        try:
            data: object = json.loads(self.state.read_text(encoding="utf-8"))
            return ReductionState.from_mapping(cast("Mapping[str, object]", data))
        except (OSError, ValueError) as error:  # what the state finds wrong is a ValueError too
            raise ConfigurationError(
                f"{self.state} cannot be read as the state of a selection; remove it, or name "
                "another file, to begin anew"
            ) from error

    def _json(self, reduction: Reduction) -> str:
        documents = zip(reduction.documents, reduction.fidelities, reduction.lines, strict=True)
        data = {
            "text": reduction.text,
            "documents": [
                {"path": one.path, "form": form, "lines": lines} for one, form, lines in documents
            ],
            "required_omitted": reduction.required_omitted,
            "model": self.model,
            "report": reduction.metadata(),
            "notices": [asdict(notice) for notice in self.files.notices],
        }
        return json_line(data)

    def _tell(self, lines: Sequence[str]) -> None:
        if not self.quiet:
            for line in (*lines, *notice_lines(self.files.notices)):
                say(on_one_line(line))


def plan_table(planned: Plan) -> str:
    """Return the outlooks of a plan as a table to choose from.

    What is found is the share of what the question asks for, as in `Outlook.relevance`; nothing is
    said of it without a question.
    """
    best = planned.best()
    names = ("strategy", "documents", "forms", "found", "tokens", "left out", "bound by")
    table = Table(*names, box=SIMPLE)
    for one in planned.options:
        forms = {"compact": one.compacted, "in parts": one.partial, "declarations": one.extracts}
        given = [f"{count} {name}" for name, count in forms.items() if count]
        table.add_row(
            ("* " if best is not None and one.strategy == best.strategy else "  ") + one.strategy,
            f"{one.selected:,}",
            ", ".join(given) or ("whole" if one.selected else ""),
            "" if planned.matches is None else f"{one.relevance:.0%}",
            f"{one.tokens:,}",
            counted(one.omitted, "document", spec=",") if one.omitted else "nothing",
            ", ".join(one.binding) + ("" if one.fits else " (does not fit)"),
        )
    text = StringIO()
    Console(file=text, width=_WIDTH, color_system=None).print(table)
    return text.getvalue()


def replace_file(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole or not at all; only its owner may read it.

    Raises:
        OSError: it cannot be written.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
