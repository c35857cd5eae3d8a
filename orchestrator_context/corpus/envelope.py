r"""The envelope: documents set apart in one text, so that none can pose as another.

    <docs format="1">
    <doc path="src/pump.py">
    def stop(): ...
    </doc>
    <doc path="src/old.py" same-as="src/pump.py"/>
    </docs>

The name of the tag stands nowhere in what it holds, in no letter case: it is "doc" unless some
content has `<doc` or `</doc` in it, and then "doc2", "doc3" and so on. So no content can close its
element or open another, and nothing in it has to be escaped. A line break is added behind each
content, and no more, so `parse(render(elements)) == elements` for any content and any path.

Elements follow each other without anything between them, so a text costs the sum of its elements
and its wrapper: bytes always, and tokens with every vocabulary that splits at line breaks.

`format` changes when the meaning of what is there changes; readers pass over elements and
attributes that they do not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Final, Literal, get_args

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError

FORMAT: Final = 1

Fidelity = Literal["whole", "compact", "partial", "extract", "pointer", "overview", "digest"]

FIDELITIES: Final[tuple[Fidelity, ...]] = get_args(Fidelity)

Lines = tuple[tuple[int, int], ...]
"""First and last line of each span of a document, counted from 1."""

SHOWN: Final[frozenset[Fidelity]] = frozenset(("whole", "compact", "partial", "extract"))
"""Forms in which a document stands in a text itself."""

_TAG: Final = "doc"
_MOST_DIGITS: Final = 18
_MOST_LINES: Final = 10**_MOST_DIGITS - 1
_PARTS: Final[dict[str, Fidelity]] = {
    "extract": "extract", "overview": "overview", "digest": "digest",
}  # fmt: skip
_SPELLED: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"} | {
    char: f"&#{ord(char)};" for char in "\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
}
_SPELLING: Final = str.maketrans(_SPELLED)
_SPECIAL: Final = re.compile(f"[{re.escape(''.join(_SPELLED))}]")
_MEANING: Final = {spelled: char for char, spelled in _SPELLED.items()}
_ENTITY: Final = re.compile("|".join(map(re.escape, _MEANING)))
_TAKEN: Final = re.compile(  # without a flag, to be fast
    r"<\s*+(?:/\s*+)?+[dD][oO][cC](\d{0,6})[sS\u017f]?(?![\w-])"
)
_TAG_NAME: Final = re.compile(rf"{_TAG}[0-9]{{0,6}}")
_OPENING: Final = re.compile(rf'<(?P<tag>{_TAG}[0-9]*)s format="(?P<format>[0-9]{{1,9}})">\n')
_ATTRIBUTE: Final = re.compile(r' ([a-z-]+)="([^"]*)"')
_HEAD: Final = r'<{tag}((?: [a-z-]+="[^"]*")*)(/?)>\n'


@dataclass(frozen=True, slots=True)
class Element:
    """What stands for a document, or for a group of them.

    Attributes:
        path: the document; for an overview or digest, the module it is of, or "" for all.
        content: its text; "" for a pointer.
        fidelity: "whole"; "compact", without comments and blank lines; "partial", some of its
            lines; "extract", its declarations; "pointer" to a document with the same content;
            "overview", the names in a group of documents; "digest", a text on a module that the
            caller brought along.
        lines: first and last line of each span of a partial one; rows of a table stand below its
            head, which is a span of its own.
        elided_lines: lines that a compact one lacks.
        same_as: the document that a pointer points to.
        identical: whether that has the same bytes, or nearly the same words.
    """

    path: str
    content: str = field(default="", repr=False)
    fidelity: Fidelity = "whole"
    lines: Lines = ()
    elided_lines: int = 0
    same_as: str = ""
    identical: bool = True

    def __post_init__(self) -> None:
        checks.text("Element.path", self.path)
        checks.text("Element.content", self.content)
        checks.choice("Element.fidelity", self.fidelity, FIDELITIES)
        spans = checks.sequence("Element.lines", self.lines, "pairs of line numbers")
        lines = tuple(line_span("each of Element.lines", span) for span in spans)
        object.__setattr__(self, "lines", lines)
        line_number("Element.elided_lines", self.elided_lines, least=0)
        checks.text("Element.same_as", self.same_as)
        checks.flag("Element.identical", self.identical)
        self._check_form()

    def _check_form(self) -> None:
        """Refuse what the envelope has no place for, and so could not give back."""
        form, is_pointer = self.fidelity, self.fidelity == "pointer"
        if bool(self.lines) != (form == "partial"):
            raise ConfigurationError(
                f'Element.lines must be there for "partial", and for no other: it is "{form}", '
                f"with {len(self.lines)} spans"
            )
        if self.elided_lines and form != "compact":
            raise ConfigurationError(f'Element.elided_lines is for "compact", not for "{form}"')
        if not is_pointer and (self.same_as or not self.identical):
            raise ConfigurationError(
                f'Element.same_as and identical are for "pointer", not for "{form}"'
            )
        if is_pointer and self.content:
            raise ConfigurationError("Element.content must be empty for a pointer")


def line_span(field: str, value: object) -> tuple[int, int]:
    """Return `value` if it is the first and the last line of a span, or ConfigurationError."""
    span = checks.sequence(field, value, "two whole numbers")
    if len(span) != 2:
        raise ConfigurationError(f"{field} must be two whole numbers, the first and last line")
    first = line_number(field, span[0])
    return first, line_number(field, span[1], least=first)


def line_number(field: str, value: object, *, least: int = 1) -> int:
    """Return `value` if it is a number of lines that the envelope takes, or ConfigurationError."""
    number = checks.whole(field, value, least=least)
    if number > _MOST_LINES:
        raise ConfigurationError(f"{field} must have at most {_MOST_DIGITS} digits")
    return number


def free_tag(contents: Iterable[str]) -> str:
    """Return the name of a tag that neither opens nor closes in any of `contents`.

    >>> free_tag(["plain", "see </DOC>"])
    'doc2'
    """
    found = (_TAKEN.findall(content) for content in contents if "<" in content)
    taken = {int(number or 1) for numbers in found for number in numbers}
    free = next(number for number in count(1) if number not in taken)
    return _TAG if free == 1 else f"{_TAG}{free}"


def is_free(tag: str, content: str) -> bool:
    """Return whether `content` neither opens nor closes this tag."""
    own = int(tag.removeprefix(_TAG) or 1)
    return "<" not in content or all(int(one or 1) != own for one in _TAKEN.findall(content))


def opening(tag: str) -> str:
    """Return what stands before the elements."""
    return f'<{tag}s format="{FORMAT}">\n'


def closing(tag: str) -> str:
    """Return what stands behind them."""
    return f"</{tag}s>\n"


def head(element: Element, tag: str) -> str:
    """Return what stands before the content of an element."""
    return f"<{tag}" + "".join(f' {n}="{escaped(value)}"' for n, value in _named(element)) + ">\n"


def document_head(path: str, tag: str, lines: Lines = ()) -> str:
    """Return what stands before the content of a document, or of some of its lines."""
    named = f' path="{escaped(path)}"' if path else ""
    return f'<{tag}{named} lines="{_spans(lines)}">\n' if lines else f"<{tag}{named}>\n"


def end(tag: str) -> str:
    """Return what stands behind the content of an element, on a line of its own."""
    return f"</{tag}>\n"


def element_text(element: Element, tag: str) -> str:
    """Return an element as it stands in the envelope."""
    if element.fidelity == "pointer":
        return head(element, tag).removesuffix(">\n") + "/>\n"
    return f"{head(element, tag)}{element.content}\n{end(tag)}"


def render(elements: Iterable[Element], tag: str = "") -> str:
    """Return the envelope of `elements`, in their order.

    `tag` is one that is free in all of them; by default, the first such one.

    >>> print(render([Element("a.py", "x = 1")]), end="")
    <docs format="1">
    <doc path="a.py">
    x = 1
    </doc>
    </docs>

    Raises:
        ConfigurationError: an argument is of another type, or `tag` is no name of a tag, or not
            free.
    """
    elements = checks.instances("elements", elements, Element, "elements")
    if checks.text("tag", tag) and not _TAG_NAME.fullmatch(tag):
        raise ConfigurationError(
            f"tag must be {_TAG} or {_TAG}2 and so on, not {checks.shown(tag)}"
        )
    if tag and not all(is_free(tag, element.content) for element in elements):
        raise ConfigurationError(f"tag must be free: an element holds {checks.shown(tag)} as a tag")
    tag = tag or free_tag(element.content for element in elements)
    texts = (element_text(element, tag) for element in elements)
    return "".join((opening(tag), *texts, closing(tag)))


def parse(text: str) -> tuple[Element, ...]:
    """Return the elements of an envelope; those of a kind that is not known are passed over.

    Raises:
        ConfigurationError: the text is no envelope, or one of a later format.
    """
    head = _OPENING.match(checks.text("text", text))
    if head is None or int(head["format"]) > FORMAT or not text.endswith(closing(head["tag"])):
        raise ConfigurationError(f"The text is no envelope of format {FORMAT} or earlier")
    return tuple(_elements(text, head["tag"], head.end()))


def _elements(text: str, tag: str, at: int) -> Iterator[Element]:
    pattern, end = re.compile(_HEAD.format(tag=tag)), f"\n</{tag}>\n"
    last = len(text) - len(closing(tag))
    while at < last:
        head = pattern.match(text, at)
        if head is None:
            raise ConfigurationError(f"The envelope is broken at character {at}")
        attributes = {name: _unescaped(value) for name, value in _ATTRIBUTE.findall(head[1])}
        at, content = head.end(), ""
        if not head[2]:
            stop = text.find(end, at)
            if stop < 0:
                raise ConfigurationError(f"The element at character {head.start()} has no end")
            at, content = stop + len(end), text[at:stop]
        element = _element(attributes, content)
        if element is not None:
            yield element


def _element(attributes: dict[str, str], content: str) -> Element | None:
    path, part = attributes.get("path", ""), attributes.get("part")
    if part is not None:
        return Element(path, content, _PARTS[part]) if part in _PARTS else None
    if "lines" in attributes:
        spans = (span.partition("-") for span in attributes["lines"].split(","))
        lines = tuple((_number(first), _number(last or first)) for first, _, last in spans)
        return Element(path, content, "partial", lines)
    if "elided-lines" in attributes:
        elided = _number(attributes["elided-lines"])
        return Element(path, content, "compact", elided_lines=elided)
    for name in ("same-as", "similar-to"):
        if name in attributes:
            same = name == "same-as"
            return Element(path, "", "pointer", same_as=attributes[name], identical=same)
    return Element(path, content)


def _number(digits: str) -> int:
    if not digits.isdecimal() or len(digits) > _MOST_DIGITS:
        raise ConfigurationError("The envelope is broken: a number of lines is none")
    return int(digits)


def _named(element: Element) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an element; a whole document has none but its path."""
    if element.path:
        yield "path", element.path
    if element.fidelity in _PARTS:
        yield "part", element.fidelity
    if element.fidelity == "partial":
        yield "lines", _spans(element.lines)
    if element.fidelity == "compact":
        yield "elided-lines", str(element.elided_lines)
    if element.fidelity == "pointer":
        yield "same-as" if element.identical else "similar-to", element.same_as


def _spans(lines: Lines) -> str:
    return ",".join(f"{first}-{last}" if first != last else f"{first}" for first, last in lines)


def escaped(value: str) -> str:
    """Return `value` on one line and without a sign that means something to the envelope."""
    return value.translate(_SPELLING) if _SPECIAL.search(value) else value


def _unescaped(value: str) -> str:
    return _ENTITY.sub(lambda found: _MEANING[found[0]], value)
