"""Declarations of a program, found in its syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from orchestrator_context.languages.grammars import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

# languages: types of the nodes that declare something
_DECLARATIONS: Final = {
    "javascript typescript": "function_declaration generator_function_declaration class_declaration"
    " abstract_class_declaration method_definition method_signature abstract_method_signature"
    " function_signature interface_declaration enum_declaration type_alias_declaration"
    " internal_module module",
    "java": "class_declaration record_declaration interface_declaration enum_declaration"
    " annotation_type_declaration method_declaration constructor_declaration"
    " compact_constructor_declaration module_declaration",
    "swift": "class_declaration protocol_declaration function_declaration typealias_declaration"
    " protocol_function_declaration init_declaration deinit_declaration subscript_declaration",
    "dart": "class_definition mixin_declaration extension_declaration enum_declaration type_alias"
    " extension_type_declaration function_signature constructor_signature getter_signature"
    " setter_signature factory_constructor_signature constant_constructor_signature",
    "csharp": "namespace_declaration file_scoped_namespace_declaration class_declaration"
    " record_declaration struct_declaration interface_declaration enum_declaration"
    " delegate_declaration method_declaration constructor_declaration destructor_declaration"
    " operator_declaration local_function_statement",
    "go": "function_declaration method_declaration type_spec type_alias",
    "rust": "function_item function_signature_item struct_item union_item enum_item trait_item"
    " impl_item mod_item macro_definition type_item const_item static_item",
    "c cpp objective-c": "function_definition struct_specifier union_specifier enum_specifier"
    " class_specifier template_declaration type_definition namespace_definition"
    " alias_declaration concept_definition preproc_function_def class_interface"
    " class_implementation protocol_declaration method_declaration method_definition",
    "php": "namespace_definition class_declaration interface_declaration trait_declaration"
    " enum_declaration function_definition method_declaration",
    "ruby": "class module method singleton_method",
    "shell": "function_definition",
    "solidity": "contract_declaration library_declaration interface_declaration struct_declaration"
    " enum_declaration function_definition modifier_definition constructor_definition"
    " event_definition error_declaration",
    "ocaml": "module_definition module_type_definition type_definition value_definition"
    " value_specification class_definition exception_definition",
    "powershell": "function_statement class_statement enum_statement class_method_definition",
    "protobuf": "message enum service rpc",
    "graphql": "object_type_definition interface_type_definition enum_type_definition"
    " input_object_type_definition union_type_definition scalar_type_definition",
}
_TYPES: Final = {
    language: frozenset(types.split())
    for languages, types in _DECLARATIONS.items()
    for language in languages.split()
}

_VARIABLES: Final = frozenset(  # where nothing but the text, or an export, is around them
    ("const_declaration", "lexical_declaration", "var_declaration", "variable_declaration")
)
_TOPS: Final = frozenset(("export_statement", "program", "source_file"))
_WITH_BODY: Final = frozenset(
    ("class_specifier", "enum_specifier", "struct_specifier", "union_specifier")
)
_PROTOTYPES: Final = frozenset(("declaration", "field_declaration"))
_DECLARATORS: Final = frozenset(("pointer_declarator", "reference_declarator"))


class Declaration(NamedTuple):
    """Where a declaration stands.

    Attributes:
        start: byte at which it begins, behind its decorators.
        end_line: its last line, from 1; 0 where its body is no part of its node.
    """

    start: int
    end_line: int


def has_declarations(language: str) -> bool:
    """Return whether it is known which nodes of `language` declare something."""
    return language in _TYPES


def declarations_in(parsed: Parsed, language: str) -> Iterator[Declaration]:
    """Yield what is declared in a text, in order."""
    types = _TYPES[language]
    with_variables = language in ("go", "javascript", "typescript")
    with_prototypes = "class_specifier" in types
    above: list[str] = [""]  # the types of the nodes around
    for node, depth in parsed.nodes():
        kind = node.type
        above[depth + 1 :] = [kind]
        if kind in types:
            is_one = node.is_named and (kind not in _WITH_BODY or _has(node, "body"))
        elif kind in _VARIABLES:
            is_one = with_variables and above[depth] in _TOPS
        else:
            is_one = with_prototypes and kind in _PROTOTYPES and _is_prototype(node, above[depth])
        if is_one:
            is_whole = not (language == "dart" and kind.endswith("_signature"))
            yield Declaration(_start(node, parsed.data), (node.end_point.row + 1) * is_whole)


def _has(node: Node, field: str) -> bool:
    return node.child_by_field_name(field) is not None


def _is_prototype(node: Node, parent: str) -> bool:
    """Return whether a declaration in C or C++ is that of a function, outside of functions."""
    found = node.child_by_field_name("declarator")
    while found is not None and found.type in _DECLARATORS:
        found = found.child_by_field_name("declarator")
    is_function = found is not None and found.type == "function_declarator"
    return is_function and parent != "compound_statement"


def _start(node: Node, data: bytes) -> int:
    """Return where `node` begins, or the line of its name where annotations stand before it."""
    name = node.child_by_field_name("name")
    if name is None or data[node.start_byte : node.start_byte + 1] not in (b"@", b"["):
        return node.start_byte
    line = data.rfind(b"\n", node.start_byte, name.start_byte) + 1
    return max(line + _indent(data, line), node.start_byte)


def _indent(data: bytes, line: int) -> int:
    return len(data[line : line + 200]) - len(data[line : line + 200].lstrip(b" \t"))
