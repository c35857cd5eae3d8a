"""Small corpora for property tests."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from orchestrator_context.models import Document
from orchestrator_context.rank import RankOptions

WORDS = [
    "pump",
    "pumps",
    "valve",
    "stop_pump",
    "HTTPReply",
    "насос",
    "水泵已停机",
    "the",
    "import",
    "\n",
]
PATHS = [
    "README.md",
    "a.py",
    "b.py",
    "src/a.py",
    "src/__init__.py",
    "src\\pump.py",
    "насос.md",
    "x",
]

quick = settings(max_examples=40, deadline=None)

contents = st.lists(st.sampled_from([*WORDS, "import a", "from src import pump"]), max_size=8).map(
    " ".join
)
queries = st.lists(st.sampled_from([*WORDS, "zebra"]), max_size=4).map(" ".join)
corpora = st.dictionaries(
    st.sampled_from(PATHS), st.tuples(contents, st.booleans()), max_size=len(PATHS)
).map(lambda found: [Document(path, text, pinned) for path, (text, pinned) in found.items()])
options = st.builds(
    RankOptions,
    path_weight=st.sampled_from([0.0, 3.0]),
    title_weight=st.sampled_from([0.0, 2.0]),
    stem=st.booleans(),
    expansion_rounds=st.integers(0, 2),
    feedback_documents=st.integers(1, 3),
    expansion_terms=st.integers(0, 3),
    salience_weight=st.sampled_from([0.0, 1.0]),
    carry_over_bonus=st.sampled_from([0.0, 0.5]),
)
