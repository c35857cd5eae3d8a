"""What is passed over to save time would not have been taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator_context.corpus import Corpus, SelectOptions, select, strategies
from orchestrator_context.corpus.candidates import Candidates
from orchestrator_context.corpus.fill import Filling, Offer
from orchestrator_context.models import Budget, Document
from tests.corpus.corpora import QUERY, all_options, counters, documents, station

TOKENS = st.builds(Budget, st.one_of(st.integers(1, 60), st.integers(1, 2_000)))
COUNTERS = st.sampled_from(sorted(counters()))


def every(
    filling: Filling, candidates: Candidates, documents: Iterable[Document]
) -> Iterator[Offer]:
    """Offer all documents, however long they are known to be."""
    forms, compacts = candidates.corpus.forms, candidates.options.compacts
    return (Offer(forms.fullest(one, compacts=compacts)) for one in documents)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.one_of(documents(), st.just(list(station()))), all_options(), TOKENS, COUNTERS)
def test_documents_known_to_be_too_long_would_not_fit(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    corpus: list[Document],
    options: SelectOptions,
    budget: Budget,
    name: str,
) -> None:
    """Tokens are known of a corpus that comes from a file."""
    path, counter = tmp_path_factory.mktemp("corpus") / "index", counters()[name]
    Corpus(corpus, options=options, counter=counter).save(path)
    loaded = Corpus.load(path, corpus, options=options, counter=counter)
    quick = select(loaded, QUERY, budget=budget)
    with monkeypatch.context() as patch:
        patch.setattr(strategies, "_hopeful", every)
        thorough = select(loaded, QUERY, budget=budget)
    assert quick == thorough
    assert quick == select(corpus, QUERY, budget=budget, options=options, counter=counter)
