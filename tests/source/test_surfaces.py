from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.source import module_surfaces

DOCUMENTS = [
    Document("app/db/sql/run.py", "x = 1"),
    Document("app/db/read.py", "y = 2", extract="def read():"),
    Document("app/main.py", ""),
    Document("./setup.py", "z = 3"),
    Document("app\\web\\page.html", "<p>"),
]


def test_documents_are_grouped_by_folder() -> None:
    assert module_surfaces(DOCUMENTS) == {
        "": "./setup.py\nz = 3",
        "app": "app/main.py\n",
        "app/db": "app/db/read.py\ndef read():\n\napp/db/sql/run.py\nx = 1",
        "app/web": "app\\web\\page.html\n<p>",
    }
    assert list(module_surfaces(DOCUMENTS, depth=1)) == ["", "app"]
    assert list(module_surfaces(DOCUMENTS, 0)) == [""]
    assert module_surfaces([]) == {}


@given(
    st.lists(st.builds(Document, st.text("ab/.\\", max_size=9), st.text(max_size=3))),
    st.integers(0, 3),
    st.randoms(use_true_random=False),
)
def test_the_order_of_documents_does_not_matter(
    documents: list[Document], depth: int, rng: random.Random
) -> None:
    surfaces = module_surfaces(documents, depth)
    rng.shuffle(documents)
    shuffled = module_surfaces(documents, depth)
    assert list(shuffled.items()) == list(surfaces.items())
    assert all(name.count("/") < max(depth, 1) for name in surfaces)


@pytest.mark.parametrize("depth", [-1, True, 1.5])
def test_depth_is_checked(depth: int) -> None:
    with pytest.raises(ConfigurationError, match="depth"):
        module_surfaces(DOCUMENTS, depth)
