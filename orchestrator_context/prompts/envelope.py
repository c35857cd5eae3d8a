"""The envelope: text that nobody vouches for, set apart so that it cannot break out.

An element's name ends in a nonce that occurs nowhere in what it holds, not even in other letter
case, so no content can close it or open another. The nonce is a hash of the content: the same
material gives the same bytes, which keeps prompt caches and tests stable, and whoever writes the
content cannot foresee it, because a text that holds its own nonce gets another one.

`parse(render(material)) == material` for any content.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Literal

from orchestrator_context.prompts.nonce import free_nonce

Element = Literal["document", "notes"]

_ENVELOPE = re.compile(
    r"<question-(?P<nonce>[0-9a-f]{8})>\n(?P<question>.*)\n</question-(?P=nonce)>\n\n"
    r'<(?P<element>document|notes)-(?P=nonce)(?: name="(?P<name>[^"]*)")?'
    r'(?: lines="(?P<lines>[^"]*)")? marks="(?P<prefix>[A-Z]+)">\n'
    r"(?P<body>.*)\n</(?P=element)-(?P=nonce)>",
    re.DOTALL,
)
_LINE_ENDS = {ord(char): f"&#{ord(char)};" for char in "\t\n\r"}  # an attribute stays on its line

NOTHING_RELEVANT = "NOTHING RELEVANT"
"""What a model answers, and nothing else, where the material says nothing on the question."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a prompt gives a model to read.

    Attributes:
        question: what the reading is for.
        body: the text, with source marks of `prefix`: in a document each stands on a line of its
            own before its passage, in notes it follows its statement.
        element: "document" for a part of the source, "notes" for what was noted of several.
        name: path of the document; "" for notes.
        lines: the lines of the document that the body holds; "" for notes.
        prefix: letters that marks begin with; nothing else in the body looks like a mark.
    """

    question: str
    body: str
    element: Element = "document"
    name: str = ""
    lines: str = ""
    prefix: str = "S"


def render(material: Material) -> str:
    """Return the material as text for a prompt."""
    nonce = free_nonce(material.question, material.name, material.lines, material.body)
    name = f' name="{_escaped(material.name)}"' if material.name else ""
    lines = f' lines="{_escaped(material.lines)}"' if material.lines else ""
    element = f"{material.element}-{nonce}"
    return (
        f"<question-{nonce}>\n{material.question}\n</question-{nonce}>\n\n"
        f'<{element}{name}{lines} marks="{material.prefix}">\n{material.body}\n</{element}>'
    )


def parse(text: str) -> Material | None:
    """Return the material that `text` was rendered from, or None where it is not an envelope."""
    nonce = text.removeprefix("<question-")[:8]
    if text.count(nonce) != 4:  # what `render` gives; more of them would make matching slow
        return None
    found = _ENVELOPE.fullmatch(text)
    if found is None:
        return None
    return Material(
        question=found["question"],
        body=found["body"],
        element="document" if found["element"] == "document" else "notes",
        name=html.unescape(found["name"] or ""),
        lines=html.unescape(found["lines"] or ""),
        prefix=found["prefix"],
    )


def _escaped(value: str) -> str:
    return html.escape(value).translate(_LINE_ENDS)
