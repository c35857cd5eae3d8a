"""What a path and a text tell of the language that the text is in."""

from orchestrator_context.languages.detect import LANGUAGES, detect_language, language_name
from orchestrator_context.languages.extract import CUT_MARK, structural_extract
from orchestrator_context.languages.symbols import Symbol, structure

__all__ = [
    "CUT_MARK",
    "LANGUAGES",
    "Symbol",
    "detect_language",
    "language_name",
    "structural_extract",
    "structure",
]
