"""The forms in which a document can stand in a text, each made once."""

from __future__ import annotations

from typing import Final

from orchestrator_context.corpus.blocks import Block, Cost, Pricer
from orchestrator_context.corpus.envelope import Element, is_free
from orchestrator_context.models import Document
from orchestrator_context.source import compact_source

_HOPELESS: Final = 3  # times too long for comments and blank lines to be the reason

POINTER: Final = "\0pointer "  # before the path of a document, as the key of its pointer


class Forms:
    """Blocks of documents.

    Attributes:
        pricer: prices them.
    """

    def __init__(self, pricer: Pricer) -> None:
        self.pricer = pricer
        self._compact: dict[str, Element] = {}

    def whole(self, document: Document) -> Block:
        """Return a document as it is."""
        return self.pricer.block(document.path, Element(document.path, document.content))

    def compact(self, document: Document) -> Block:
        """Return a document without comments and blank lines; as it is where there are none.

        It is not read where it is so long that this cannot help.
        """
        whole = Element(document.path, document.content)

        def price(room: int | None) -> Cost:
            as_it_is = self.pricer.price(whole, None if room is None else _HOPELESS * room)
            if room is not None and as_it_is.tokens > _HOPELESS * room:
                return as_it_is
            return self.pricer.price(self._compacted(document), room)

        return Block(
            document.path,
            "compact",
            price,
            lambda: (self._compacted(document),),
            lambda: Cost(items=1),
        )

    def extract(self, document: Document) -> Block | None:
        """Return the declarations of a document, or None where it has none of its own."""
        if not document.extract or document.extract == document.content:
            return None
        element = Element(document.path, document.extract, "extract")
        return self.pricer.block(document.path, element)

    def pointer(self, path: str, same_as: str, *, identical: bool) -> Block:
        """Return the pointer of a document to the one that stands for it."""
        element = Element(path, "", "pointer", same_as=same_as, identical=identical)
        return self.pricer.block(POINTER + path, element)

    def _compacted(self, document: Document) -> Element:
        element = self._compact.get(document.path)
        if element is None:
            path = document.path
            reduced = compact_source(document.content, language=document.language, path=path)
            element = Element(path, reduced.text, "compact", elided_lines=reduced.elided_lines)
            # What stood between the parts of a tag may have been a comment.
            if not reduced.is_reduced or not is_free(self.pricer.tag, reduced.text):
                element = Element(path, document.content)
            self._compact[path] = element
        return element
