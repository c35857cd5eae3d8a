"""`find_duplicates` against datasketch and rensa: time, recall and precision on one corpus.

20,000 notes: originals, near copies with a few words changed, and two kinds of traps. One kind
differs from its original in a number, a "not" or an identifier; the other kind fills a template
with other words. A near copy is to be found where it has a Jaccard similarity of 0.85 or more in
shingles of five words, counted here, and all else is to be kept. Both peers get these shingles
and are run as their documentation shows, and once more set for a recall of 0.99.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import datasketch
import rensa

from orchestrator_context.dedup import DedupOptions, find_duplicates
from orchestrator_context.models import Document

THRESHOLD = 0.85
NOTES = 20_000
NEAR_COPIES, TRAPS, TEMPLATED = 2_000, 3_000, 5_000
WORDS = 140
RUNS = 5
LOWER = 0.75
BANDS, ROWS = 15, 8  # 1 - (1 - 0.85**8)**15 = 0.991


@dataclass(frozen=True)
class Corpus:
    """Notes in a random order, and which of them repeat an earlier one."""

    texts: list[str]
    documents: list[Document]
    repeated: set[int]


Finder = Callable[[Corpus], set[int]]


def corpus(seed: int = 1) -> Corpus:
    """Return the notes; the same ones for one seed."""
    chance = random.Random(seed)
    vocabulary = [_word(chance) for _ in range(20_000)]
    weights = [1 / (rank + 10) for rank in range(len(vocabulary))]
    source = iter(chance.choices(vocabulary, weights, k=3_000_000))
    originals = [_note(source, chance) for _ in range(NOTES - NEAR_COPIES - TRAPS - TEMPLATED)]
    notes = [(note, -1) for note in originals]
    near = chance.sample(range(len(originals)), NEAR_COPIES + TRAPS)
    notes += [(_reworded(originals[i], source, chance), i) for i in near[:NEAR_COPIES]]
    notes += [(_twisted(originals[i], chance), -1) for i in near[NEAR_COPIES:]]
    template = _note(source, chance)
    names = [_word(chance) for _ in range(1_000)]
    notes += [(_filled(template, names, chance), -1) for _ in range(TEMPLATED)]
    order = list(range(len(notes)))
    chance.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    pairs = [(place[i], place[of]) for i, (_, of) in enumerate(notes) if of >= 0]
    texts = [" ".join(notes[old][0]) for old in order]
    repeated = {max(pair) for pair in pairs if _jaccard(*(texts[i] for i in pair)) >= THRESHOLD}
    documents = [Document(f"{index:06}", text) for index, text in enumerate(texts)]
    return Corpus(texts, documents, repeated)


def _word(chance: random.Random) -> str:
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return "".join(chance.choices(syllables, k=chance.randint(3, 4)))


def _note(source: Iterator[str], chance: random.Random) -> list[str]:
    words = [next(source) for _ in range(chance.randint(WORDS // 2, WORDS * 3 // 2))]
    for place in chance.sample(range(len(words)), 3):
        words[place] = str(chance.randint(2, 9_999))
    return words


def _reworded(note: list[str], source: Iterator[str], chance: random.Random) -> list[str]:
    """Return the note with one to three neighbouring words changed, none of them a number."""
    note = list(note)
    count = chance.randint(1, 3)
    runs = [
        at for at in range(len(note) - count) if not any(map(str.isdigit, note[at : at + count]))
    ]
    at = chance.choice(runs)
    note[at : at + count] = [next(source) for _ in range(count)]
    return note


def _twisted(note: list[str], chance: random.Random) -> list[str]:
    """Return the note with another number, a "not" more, or an identifier for a word."""
    note = list(note)
    place = chance.choice([place for place, word in enumerate(note) if word.isdigit()])
    kind = chance.randrange(3)
    if kind == 0:
        note[place] = str(int(note[place]) + 1)
    elif kind == 1:
        note.insert(place, "not")
    else:
        note[place - 1] = f"unit_{chance.randrange(1_000)}"
    return note


def _filled(template: list[str], names: list[str], chance: random.Random) -> list[str]:
    note = list(template)
    for place in chance.sample(range(len(note)), 4):
        note[place] = chance.choice(names)
    return note


def _shingles(text: str) -> set[str]:
    words = text.lower().split()
    return {" ".join(words[i : i + 5]) for i in range(len(words) - 4)}


def _jaccard(one: str, other: str) -> float:
    ours, theirs = _shingles(one), _shingles(other)
    return len(ours & theirs) / len(ours | theirs)


def ours(notes: Corpus) -> set[int]:
    """Return what this library removes."""
    found = find_duplicates(notes.documents, options=DedupOptions(threshold=THRESHOLD))
    return {int(path) for path in found.canonical}


def with_datasketch(notes: Corpus, params: tuple[int, int] | None = None) -> set[int]:
    """Return what has a candidate before it in a `MinHashLSH`."""
    index = datasketch.MinHashLSH(THRESHOLD, num_perm=128, params=params)
    removed: set[int] = set()
    for number, text in enumerate(notes.texts):
        minhash = datasketch.MinHash(num_perm=128)
        minhash.update_batch([shingle.encode() for shingle in _shingles(text)])
        if index.query(minhash):
            removed.add(number)
        else:
            index.insert(str(number), minhash)
    return removed


def with_datasketch_bands(notes: Corpus) -> set[int]:
    """Return the same with bands for a recall of 0.99."""
    return with_datasketch(notes, (BANDS, ROWS))


def with_rensa(notes: Corpus, threshold: float = THRESHOLD) -> set[int]:
    """Return what `RMinHashDeduplicator` does not keep."""
    dedup = rensa.RMinHashDeduplicator(threshold=threshold, num_perm=128, use_lsh=True)
    kept = dedup.add_pairs((str(i), list(_shingles(text))) for i, text in enumerate(notes.texts))
    return {number for number, keep in enumerate(kept) if not keep}


def with_rensa_below(notes: Corpus) -> set[int]:
    """Return the same at a threshold that is low enough for a recall of 0.99."""
    return with_rensa(notes, LOWER)


FINDERS: dict[str, Finder] = {
    "this library": ours,
    "datasketch": with_datasketch,
    f"datasketch, {BANDS} bands of {ROWS}": with_datasketch_bands,
    "rensa": with_rensa,
    f"rensa at {LOWER}": with_rensa_below,
}


def main() -> None:
    notes = corpus()
    print(f"{len(notes.texts)} notes, {len(notes.repeated)} of them near copies to be found")
    seconds: dict[str, list[float]] = {name: [] for name in FINDERS}
    removed: dict[str, set[int]] = {}
    for _ in range(RUNS):
        for name, find in FINDERS.items():
            started = time.perf_counter()
            removed[name] = find(notes)
            seconds[name].append(time.perf_counter() - started)
    for name in FINDERS:
        right = len(removed[name] & notes.repeated)
        print(
            f"{name}: {statistics.median(seconds[name]):.2f} s "
            f"(min {min(seconds[name]):.2f}, max {max(seconds[name]):.2f}), "
            f"recall {right / len(notes.repeated):.4f}, "
            f"precision {right / max(1, len(removed[name])):.4f}"
        )
    best = {name: min(taken) for name, taken in seconds.items()}
    mine = best.pop("this library")
    fastest = min(best, key=best.__getitem__)
    print(f"best runs, {fastest} / this library: {best[fastest] / mine:.2f}")


if __name__ == "__main__":
    main()
