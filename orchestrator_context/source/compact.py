"""Source code without what says nothing to the machine: comments, docstrings, blank lines.

Nothing else goes, and only whole lines do. What is left is read again by the parser that found
them: where that sees another program than before, or finds an error, the text stays as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from orchestrator_context import checks
from orchestrator_context.languages.detect import LANGUAGES, detect_language
from orchestrator_context.languages.masking import code_only
from orchestrator_context.source.compact_python import parse_python, python_cuts, same_program
from orchestrator_context.source.lines import Cuts, split_lines, without

_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class CompactSource:
    """A text without its comments.

    Attributes:
        text: what is left: lines of the original as they stood, and `pass` for a body that held
            nothing but a docstring.
        original_lines: lines of the original; lines end with LF, and so with CR LF.
        elided_lines: how many of them are gone. 0 where the text is the original.
    """

    text: str = field(repr=False)
    original_lines: int
    elided_lines: int

    @property
    def is_reduced(self) -> bool:
        """Whether anything is gone."""
        return self.elided_lines > 0


def supports_compaction(language: str | None) -> bool: ...
