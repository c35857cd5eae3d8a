"""The titles of documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.languages import LANGUAGES
from orchestrator_context.rank.title import title_of
from tests.linear import assert_constant, repeating
from tests.rank.corpora import quick


@pytest.mark.parametrize(
    ("language", "content", "title"),
    [
        ("markdown", "\ufeffSome text.\n\n# Pump house\n", "# Pump house"),
        ("markdown", "Pump house\n==========\n\nText.", "Pump house"),
        ("restructuredtext", "======\n Pumps\n======\n\nText.", "Pumps"),
        ("latex", "\\documentclass{x}\n\\section{Pumps}\n", "\\section{Pumps}"),
        (None, "\n\n  Pumps stop.\nThey do.", "Pumps stop."),
        (None, "", ""),
        (None, "---\n***\n", ""),
        ("python", '#!/bin/python3\n# coding: utf-8\nr"""\nStop pumps.\n"""', "Stop pumps."),
        ("python", "import os\n'''Not a title.'''", ""),
        ("python", "# Copyright 2020 A\n# All of it.\n\n# Pumps.\nx = 1", "Pumps."),
        ("javascript", "'use strict';\n/**\n * Pumps and valves.\n */\n", "* Pumps and valves."),
        ("c", "/* Copyright A\n * License: none. */\n/* Pumps. */\n#include <a.h>", "Pumps."),
        ("c", "#include <a.h>\n", ""),
        ("java", "package a.b;\n\n// Pumps.\n", "Pumps."),
        ("sql", "-- All pumps.\nselect 1;", "All pumps."),
        ("html", "<!DOCTYPE html>\n<html><head><title>Pumps</title>", "Pumps"),
        ("json", '{"title": "Pumps"}', ""),
        ("markdown", "# Заголовок 水泵\n", "# Заголовок 水泵"),
    ],
)  # fmt: skip
def test_titles(language: str | None, content: str, title: str) -> None:
    assert title_of(content, language) == title


@quick
@given(st.text(max_size=300), st.sampled_from([None, *sorted(LANGUAGES)]))
def test_a_title_is_a_short_part_of_the_text(text: str, language: str | None) -> None:
    title = title_of(text, language)
    assert title in text
    assert len(title) <= 200


@pytest.mark.parametrize("language", [None, "python", "markdown", "html", "c"])
@pytest.mark.parametrize("unit", ["#", "\n", "<h1", "=\n", "/*", "水", "\ufeff"])
def test_time_does_not_depend_on_the_length(language: str | None, unit: str) -> None:
    assert_constant(lambda text: title_of(text, language), repeating(unit), small=50_000)
