"""How much of what a question asks for stands in a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from orchestrator_context.corpus.candidates import Candidates, above_zero
from orchestrator_context.corpus.envelope import SHOWN, parse
from orchestrator_context.corpus.report import Reduction
from orchestrator_context.models import Document
from orchestrator_context.words import words

_DECIMALS: Final = 6
_ENORMOUS: Final = 2.0**900  # a score


class Relevance:
    """Says what share of the worth of a ranking a selection holds, from 0 to 1.

    A document counts its score, divided by the logarithm of its rank: the discounted cumulative
    gain of Järvelin and Kekäläinen ("Cumulated gain-based evaluation of IR techniques", TOIS 2002).
    Where not the whole of it is there, it counts by the words of the question that it holds: the
    share of them, by weight and rarity, that stands in what is there. So does one that a similar
    one stands for, by the words in what is there of that. Equal documents count once.
    """

    def __init__(self, candidates: Candidates) -> None:
        """Work out what each document counts; nothing where nothing was asked."""
        self._documents = candidates.corpus.by_path
        self._canonical = candidates.canonical
        self._index = candidates.corpus.index
        question = candidates.question
        weights = self._index.weights(question.query)
        self._weights = {word: weight * self._index.idf(word) for word, weight in weights.items()}
        self._holding = {
            word: self._index.holding((word,)) for word, weight in self._weights.items() if weight
        }
        blank = {one.path for one in candidates.blank}
        found = candidates.different if candidates.matching else ()
        scored = [one for one in found if one.scored and one.matched and one.path not in blank]
        scored.sort(key=lambda one: -one.score)
        values = np.array(above_zero([one.score for one in scored]), dtype=np.float64)
        if np.max(values, initial=0.0) > _ENORMOUS:  # their sum would be infinite
            values /= _ENORMOUS
        gains = values / np.log2(np.arange(len(values)) + 2)
        paths = (one.path for one in scored)
        self._gains = dict(zip(paths, gains.tolist(), strict=True))
        self._total = float(gains.sum())

    def of(self, reduction: Reduction) -> float:
        """Return the share that `reduction` holds; 0 where nothing in the corpus bears on it."""
        if not self._total or not reduction.text:
            return 0.0
        gain, shown = 0.0, _shown(reduction)
        read: dict[str, frozenset[str]] = {}  # similar documents share one text
        for path, worth in sorted(self._gains.items()):
            there = path if path in shown else self._canonical.get(path)
            if not worth or there is None or there not in shown:
                continue
            text = shown[there]
            if text is None and there == path:
                gain += worth
                continue
            text = self._documents[there].content if text is None else text
            if there not in read:
                read[there] = self._words(there, text)
            gain += worth * self._share(self._documents[path], read[there], len(text))
        return round(gain / self._total, _DECIMALS)

    def _words(self, path: str, text: str) -> frozenset[str]:
        """Return the words of the question that stand in `text` or in the path of its document."""
        stem = self._index.options.stem
        return frozenset(self._weights.keys() & set(words(f"{path}\n{text}", stem=stem)))

    def _share(self, document: Document, there: frozenset[str], characters: int) -> float:
        """Return the share of a document that a text counts for; by length without such words."""
        asked = self._held(document.path)
        if not asked:
            return min(1.0, characters / max(1, len(document.content)))
        return sum(asked[word] for word in sorted(there & asked.keys())) / sum(asked.values())

    def _held(self, path: str) -> Mapping[str, float]:
        """Return the words of the question that a document holds, and what they count."""
        return {word: self._weights[word] for word, paths in self._holding.items() if path in paths}


def _shown(reduction: Reduction) -> dict[str, str | None]:
    """Return what stands in the text of each document; None for the whole of it."""
    texts: dict[str, list[str]] = {}
    for element in parse(reduction.text):
        if element.fidelity in SHOWN:
            texts.setdefault(element.path, []).append(element.content)
    whole = {
        one.path
        for one, fidelity in zip(reduction.documents, reduction.fidelities, strict=True)
        if fidelity == "whole"
    }
    return {path: None if path in whole else "\n".join(own) for path, own in texts.items()}
