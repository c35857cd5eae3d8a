"""The forms in which a document can stand in a text, each made once."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from orchestrator_context.corpus.blocks import Block, Cost, Key, Pricer, Single, Whole, far_above
from orchestrator_context.corpus.envelope import Element, Fidelity, is_free
from orchestrator_context.models import Document
from orchestrator_context.source import compact_source
from orchestrator_context.source.surfaces import extract_of

_HOPELESS: Final = 3  # times too long for comments and blank lines to be the reason


class Forms:
    """Blocks of documents.

    Attributes:
        pricer: prices them.
    """

    def __init__(self, pricer: Pricer) -> None:
        self.pricer = pricer
        self._compact: dict[str, Element | None] = {}
        self._extracts: dict[str, Element | None] = {}

    def whole(self, document: Document) -> Whole:
        """Return a document as it is."""
        return Whole(document.path, document.content, self.pricer)

    def fullest(self, document: Document, *, compacts: bool) -> tuple[Block, ...]:
        """Return a document as it is, and without comments and blank lines if that is wanted."""
        if not compacts:
            return (self.whole(document),)
        whole = Whole(document.path, document.content, self.pricer, _HOPELESS)
        return whole, Compact(document, whole, self)

    def most(self, room: int | None, *, compacts: bool) -> float:
        """Return the tokens above which no form that `fullest` gives a document fits `room`."""
        if room is None:
            return math.inf
        return far_above(_HOPELESS * room if compacts else room)

    def extract(self, document: Document) -> Single | None:
        """Return the declarations of a document, or None where it has none of its own."""
        path = document.path
        if path not in self._extracts:
            extract = extract_of(document)
            # What stands between its lines in the content may part what else were a tag.
            own = extract != document.content and is_free(self.pricer.tag, extract)
            self._extracts[path] = Element(path, extract, "extract") if extract and own else None
        element = self._extracts[path]
        return None if element is None else self.single(path, element)

    def pointer(self, path: str, same_as: str, *, identical: bool) -> Single:
        """Return the pointer of a document to the one that stands for it."""
        element = Element(path, "", "pointer", same_as=same_as, identical=identical)
        return self.single(pointer_key(path), element)

    def single(self, key: Key, element: Element) -> Single:
        """Return the block of an element."""
        return Single(key, element, self.pricer)

    def compacted(self, document: Document) -> Element | None:
        """Return a document without comments and blank lines, or None where that is all of it."""
        path = document.path
        if path not in self._compact:
            reduced = compact_source(document.content, language=document.language, path=path)
            element = Element(path, reduced.text, "compact", elided_lines=reduced.elided_lines)
            # What stood between the parts of a tag may have been a comment.
            changed = reduced.is_reduced and is_free(self.pricer.tag, reduced.text)
            self._compact[path] = element if changed else None
        return self._compact[path]


class Compact(NamedTuple):
    """A document without comments and blank lines; as it is where there are none."""

    document: Document
    whole: Whole
    forms: Forms
    fidelity: Fidelity = "compact"

    @property
    def key(self) -> str:
        """As in `Block`."""
        return self.document.path

    def price(self, room: int | None) -> Cost:
        """As in `Block`. It is not read where it is so long that this cannot help."""
        as_it_is = self.whole.price(room)
        if room is not None and as_it_is.tokens > _HOPELESS * room:
            return as_it_is
        element = self.forms.compacted(self.document)
        return as_it_is if element is None else self.forms.pricer.element(element, room)

    def least(self) -> Cost:
        """As in `Block`."""
        return Cost(items=1)

    def make(self) -> tuple[Element, ...]:
        """As in `Block`."""
        element = self.forms.compacted(self.document)
        return self.whole.make() if element is None else (element,)


def pointer_key(path: str) -> Key:
    """Return the key of the pointer of a document."""
    return "pointer", path
