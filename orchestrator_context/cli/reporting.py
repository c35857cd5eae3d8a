"""Results as people and programs read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby

from orchestrator_context.cli.writing import json_line, on_one_line
from orchestrator_context.files import FileNotice
from orchestrator_context.reports import Citation, Distillation, FailedChunk

_LISTED = 10
_TROUBLES = ("repaired", "undecodable", "unreadable")


def result_json(result: Distillation, model: str, notices: Sequence[FileNotice]) -> str:
    """Return a result as one JSON object on one line, all of it ASCII."""
    return json_line(
        {
            "text": result.text,
            "citations": [asdict(citation) for citation in result.citations],
            "model": model,
            "report": result.metadata(),
            "failed": [asdict(failed) for failed in result.report.failed],
            "skipped": [asdict(skipped) for skipped in result.report.skipped],
            "notices": [asdict(notice) for notice in notices],
        }
    )


def count_json(
    model: str, counter: str, exact: bool, files: Sequence[tuple[str, int]],
    notices: Sequence[FileNotice],
) -> str:  # fmt: skip
    """Return counts as one JSON object on one line, all of it ASCII."""
    return json_line(
        {
            "model": model,
            "counter": counter,
            "exact": exact,
            "tokens": sum(tokens for _, tokens in files),
            "files": [{"path": path, "tokens": tokens} for path, tokens in files],
            "notices": [asdict(notice) for notice in notices],
        }
    )


def estimate_json(metadata: dict[str, object], model: str) -> str:
    """Return an estimate as one JSON object on one line."""
    return json_line({"model": model, "estimate": metadata})


def source_lines(citations: Iterable[Citation]) -> Iterator[str]:
    """Yield lines for the marks of an answer; one that stands for many places has some of them."""
    for mark, same in groupby(citations, key=lambda citation: citation.mark):
        places = list(same)
        for citation in places[:_LISTED]:
            copies = [str(copy) for copy in citation.copies[:_LISTED]]
            if len(citation.copies) > _LISTED:
                copies.append(f"{len(citation.copies) - _LISTED:,} more")
            also = f" (also {', '.join(copies)})" if copies else ""
            yield on_one_line(f"{mark} {citation.source}{also}")
        if len(places) > _LISTED:
            yield f"{mark} and {len(places) - _LISTED:,} more"


def failure_lines(failed: Sequence[FailedChunk]) -> Iterator[str]:
    """Yield a line for each of the first failed chunks, and one that counts the others."""
    for chunk in failed[:_LISTED]:
        yield on_one_line(f"FAILED {chunk.source}: {chunk.reason}")
    if len(failed) > _LISTED:
        yield f"and {len(failed) - _LISTED} more"


def notice_lines(notices: Sequence[FileNotice]) -> Iterator[str]:
    """Yield a line that counts what was left out by reason, and one for each trouble."""
    counts = Counter(notice.reason for notice in notices if notice.skipped)
    if counts:
        parts = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
        yield f"left out files and folders: {parts}"
    troubles = [n for n in notices if n.reason in _TROUBLES]
    yield from (on_one_line(f"{notice.reason}: {notice.path}") for notice in troubles[:_LISTED])
    if len(troubles) > _LISTED:
        yield f"and {len(troubles) - _LISTED} more"


def any_unreadable(notices: Iterable[FileNotice]) -> bool:
    """Return whether a text that was wanted could not be had or made sense of."""
    return any(notice.reason in ("unreadable", "undecodable") for notice in notices)
