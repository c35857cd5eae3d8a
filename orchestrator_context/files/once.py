"""An iterator that, once used up, says so instead of looking like an empty one."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Document


class Once(Iterator[Document]):
    """The documents of a generator. Going through them again after their end is an error.

    Args:
        documents: what is given on, and closed by `close`.
    """

    def __init__(self, documents: Generator[Document]) -> None:
        self._documents = documents
        self._ended = False

    def __iter__(self) -> Once:
        """Return the iterator itself.

        Raises:
            ConfigurationError: all documents were read, or whoever read them closed it.
        """
        if self._ended:
            raise ConfigurationError(
                "These documents were read before, and files are read once: call read_documents "
                "again, or keep its documents in a list"
            )
        return self

    def __next__(self) -> Document:
        """Return the next document."""
        try:
            return next(self._documents)
        except BaseException:  # the end, or what ended the generator
            self._ended = True
            raise

    def close(self) -> None:
        """End the reading."""
        self._ended = True
        self._documents.close()
