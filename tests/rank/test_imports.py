"""What programs import, and what a corpus depends on."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document
from orchestrator_context.rank import RankIndex, RankOptions, imported_names, salience
from tests.linear import assert_linear
from tests.rank.corpora import corpora, quick


@pytest.mark.parametrize(
    ("language", "content", "names"),
    [
        ("python", "import os.path as p, sys\nfrom ..context.rank import (score as s,\n  top,\n)\n",
         "os path sys context rank score top"),
        ("python", "x = 1  # import nothing\nfrom here we go\nimport насос\n", "насос"),
        ("javascript", "import {\n  a as b,\n} from './ui/my-widget'\nconst x = require('fs')",
         "ui my-widget fs"),
        ("typescript", 'export * from "../core";\nimport "./side";', "core side"),
        ("c", '#include <sys/types.h>\n#  include "pump.h"\nint import;', "sys types h pump"),
        ("java", "import static org.pump.Valve;\nclass A {}", "org pump valve"),
        ("csharp", "using System.Text;\nusing (var x = y) {}", "system text"),
        ("go", 'import (\n\t"fmt"\n\tp "example.com/pump"\n)\n', "fmt example com pump"),
        ("go", 'import "os"\n', "os"),
        ("rust", "use crate::pump::{Valve, self};\nmod seal;\npub mod in { }", "pump valve seal"),
        ("php", "use App\\Pump as P;\nrequire_once __DIR__ . '/valve.php';", "app pump valve php"),
        ("ruby", "require_relative 'pump/valve'\n", "pump valve"),
        ("haskell", "import qualified Data.Map as M\n", "data map"),
        ("perl", "use strict;\nuse Pump::Valve;", "strict pump valve"),
        ("shell", "source ./lib/pump.sh\n", "lib pump sh"),
        ("protobuf", 'import public "pump/valve.proto";', "pump valve proto"),
        ("markdown", "import pump\n", ""),
        (None, "import pump\n", ""),
    ],
)  # fmt: skip
def test_imports_by_language(language: str | None, content: str, names: str) -> None:
    assert imported_names(content, language) == tuple(names.split())


def test_names_are_distinct_and_in_order() -> None:
    assert imported_names("import b\nimport a\nimport b\n", "python") == ("b", "a")


@pytest.mark.parametrize(
    "language", ["python", "go", "rust", "javascript", "php", "clojure", "csharp"]
)
@pytest.mark.parametrize(
    "text", ["import (", "from a import (", "use ", "import '", "require ", "\n \t"]
)
def test_hostile_imports_take_linear_time(language: str, text: str) -> None:
    def make(size: int) -> tuple[str, ...]:
        return text * (size // 10), text + " " * size, text + "a" * size

    def run(texts: tuple[str, ...]) -> None:
        for one in texts:
            imported_names(one, language)

    assert_linear(run, make, small=12_000)


HUB = [
    Document("core/hub.py", "x = 1"),
    Document("a.py", "from core import hub"),
    Document("b.py", "import core.hub, a"),
    Document("c.py", "import hub"),
]


def test_what_all_import_counts_most() -> None:
    values = salience(HUB)
    assert values["core/hub.py"] == 1.0
    assert values["core/hub.py"] > values["a.py"] > values["c.py"] > 0


def test_without_imports_there_is_no_salience() -> None:
    assert salience([]) == {}
    assert salience([Document("a.py", "import a"), Document("b.py", "import os")]) == {}


@pytest.mark.parametrize("name", ["__init__.py", "index.js", "mod.rs"])
def test_a_package_goes_by_the_name_of_its_directory(name: str) -> None:
    corpus = [Document(f"src/pump/{name}", ""), Document("b.py", "import pump")]
    assert salience(corpus)[f"src/pump/{name}"] == 1.0


def test_a_document_lends_nothing_to_itself() -> None:
    found = salience([Document("x/a.py", "import a"), Document("y/a.py", "")])
    assert found["y/a.py"] == 1 > found["x/a.py"]


def test_a_name_that_many_have_counts_less_for_each() -> None:
    corpus = [
        Document("a/util.py", ""),
        Document("b/util.py", ""),
        Document("one.py", ""),
        Document("c.py", "import util, one"),
    ]
    values = salience(corpus)
    assert values["one.py"] > values["a/util.py"] == values["b/util.py"] > values["c.py"]


@quick
@given(corpora, st.randoms(use_true_random=False), st.floats(0, 1), st.integers(1, 30))
def test_salience_keeps_to_its_range_in_any_order(
    corpus: list[Document], draw: random.Random, damping: float, iterations: int
) -> None:
    values = salience(corpus, damping=damping, iterations=iterations)
    moved = corpus[::-1]
    draw.shuffle(moved)
    assert values == salience(moved, damping=damping, iterations=iterations)
    if values:
        assert max(values.values()) == 1.0
        assert min(values.values()) >= 0.0
        assert values.keys() == {each.path for each in corpus}


def test_salience_orders_an_empty_query() -> None:
    index = RankIndex.build(HUB, options=RankOptions(salience_weight=1))
    assert [ranked.path for ranked in index.rank("")] == ["core/hub.py", "a.py", "b.py", "c.py"]
    assert index.explain("", "core/hub.py").parts[0].kind == "salience"
    assert index.rank("")[0].score == 1.0


def test_settings_that_cannot_be_used() -> None:
    for settings in ({"damping": 1.5}, {"damping": float("nan")}, {"iterations": 0}):
        with pytest.raises(ConfigurationError):
            salience(HUB, **settings)
    with pytest.raises(ConfigurationError, match=r"a\.py"):
        salience([HUB[1], HUB[1]])


def test_a_name_that_all_have_and_import_takes_linear_time() -> None:
    def make(count: int) -> list[Document]:
        return [Document(f"{at}/util.py", "import util") for at in range(count)]

    def run(corpus: list[Document]) -> None:
        assert len(salience(corpus)) == len(corpus)

    assert_linear(run, make, small=1_000)
