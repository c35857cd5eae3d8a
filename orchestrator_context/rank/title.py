"""The title of a document, as its beginning tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator_context.languages.structure import structure_of

_HEAD_CHARACTERS: Final = 4_096
_MOST_CHARACTERS: Final = 200
_PROSE: Final = frozenset("asciidoc latex markdown mediawiki org restructuredtext".split())
_OPENING: Final = r"/\*+|<!--|\{-|\(\*|<#|[rRuU]?\"\"\"|[rRuU]?'''|=begin\b"
_CLOSING: Final = re.compile(r"\*/|-->|-\}|\*\)|#>|\"\"\"|'''|^=end\b")
_COMMENT: Final = re.compile(rf"(?P<opening>{_OPENING})|#(?!\[|include|import|define)|//|--|;|%|\*")
_BEFORE_COMMENTS: Final = re.compile(r"#!|<\?|<!DOCTYPE|['\"]use strict|package\s", re.IGNORECASE)
_SETTING: Final = re.compile(r"coding[:=]|vim?:|eslint|pylint|mypy:|ruff|noqa|@flow|@ts-|jshint")
_LICENCE: Final = re.compile(r"(?i)copyright|licen[sc]e|spdx|all rights reserved|\(c\)")
_HTML_TITLE: Final = re.compile(r"(?i)<(title|h1)\b[^>]{0,200}>\s*([^<]+)")
_WORD: Final = re.compile(r"[^\W_]")


def title_of(content: str, language: str | None) -> str:
    r"""Return the title of a document, or "" where its beginning has none.

    Of prose that is its first heading, or else its first line; of a program the first line of the
    comment or docstring it begins with, licences apart. Takes the same time for every length.

    >>> title_of('#!/usr/bin/env python\n\"\"\"Stop pumps.\n\nLong text.\"\"\"\n', "python")
    'Stop pumps.'

    Args:
        content: the document.
        language: as `detect_language` names it; None is read as prose.
    """
    head = content[:_HEAD_CHARACTERS].lstrip("\ufeff")
    if language is None or language in _PROSE:
        title = _heading(head, language) or _first(head.splitlines())
    elif language in ("html", "xml"):
        found = _HTML_TITLE.search(head)
        title = found[2] if found else ""
    else:
        title = _first(_comment_lines(head))
    return title.strip()[:_MOST_CHARACTERS]


def _heading(head: str, language: str | None) -> str:
    found = structure_of(language).section.search("\n" + head)
    return "" if found is None else _first(head[found.start() :].splitlines())


def _first(lines: Iterator[str] | list[str]) -> str:
    return next((line for line in lines if _WORD.search(line)), "")


def _comment_lines(head: str) -> Iterator[str]:
    """Yield the lines of the comments before the first line of code, without licences."""
    inside = licence = False
    for raw in head.splitlines():
        line = raw.strip()
        mark = None if inside else _COMMENT.match(line)
        if not inside and (not line or _BEFORE_COMMENTS.match(line)):
            licence = False
            continue
        if not inside and mark is None:
            return
        text = line[mark.end() :] if mark else line
        opened = mark is not None and mark["opening"] is not None
        closed = _CLOSING.search(text)
        licence = licence or _LICENCE.search(text) is not None
        if not licence and not _SETTING.search(text):
            yield text[: closed.start()] if closed and (inside or opened) else text
        inside = (inside or opened) and closed is None
        licence = licence and (inside or (mark is not None and not opened))
