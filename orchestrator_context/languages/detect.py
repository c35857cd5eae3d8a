"""What a path says about the language of a file."""

from __future__ import annotations

import re
from typing import Final

from orchestrator_context import checks

_SUFFIXES: Final = {
    "ada": "adb ads",
    "asciidoc": "adoc asciidoc",
    "assembly": "asm nasm s",
    "aspx": "ascx aspx",
    "astro": "astro",
    "bibtex": "bib",
    "blade": "blade",
    "c": "c",
    "clojure": "clj cljc cljs edn",
    "cmake": "cmake",
    "cobol": "cbl cob cobol",
    "cpp": "c++ cc cpp cxx h++ hh hpp hxx inl ipp tpp",
    "crystal": "cr",
    "csharp": "cs csx",
    "css": "css",
    "csv": "csv",
    "cuda": "cu cuh",
    "cython": "pxd pxi pyx",
    "dart": "dart",
    "diff": "diff patch",
    "dockerfile": "containerfile dockerfile",
    "eex": "eex heex leex",
    "ejs": "ejs",
    "elixir": "ex exs",
    "elm": "elm",
    "erb": "erb rhtml",
    "erlang": "erl hrl",
    "fortran": "f f03 f08 f18 f77 f90 f95 for fpp ftn",
    "freemarker": "ftl ftlh",
    "fsharp": "fs fsi fsx",
    "gherkin": "feature",
    "glsl": "frag glsl vert",
    "go": "go",
    "gotemplate": "gohtml gotmpl",
    "graphql": "gql graphql graphqls",
    "groovy": "gradle groovy",
    "haml": "haml",
    "handlebars": "handlebars hbs mustache",
    "haskell": "hs lhs",
    "hcl": "hcl tf tfvars",
    "html": "htm html xhtml",
    "ini": "cfg ini properties",
    "java": "java",
    "javascript": "cjs js jsx mjs",
    "jinja": "j2 jinja jinja2 njk",
    "json": "geojson ipynb json json5 jsonc webmanifest",
    "jsonlines": "jsonl ndjson",
    "jsp": "jsp jspf jspx tagx",
    "julia": "jl",
    "kotlin": "kt kts",
    "latex": "latex ltx sty tex",
    "less": "less",
    "liquid": "liquid",
    "lisp": "el lisp lsp",
    "lua": "lua",
    "makefile": "mak make mk",
    "mako": "mako",
    "markdown": "markdown md mdown mdx mkd qmd rmd",
    "matlab": "matlab mlx",
    "mediawiki": "mediawiki wiki",
    "mermaid": "mermaid mmd",
    "nim": "nim nims",
    "nix": "nix",
    "objective-c": "mm",
    "ocaml": "ml mli",
    "org": "org",
    "pascal": "dpr pas",
    "perl": "perl pl pm",
    "php": "php phtml",
    "powershell": "ps1 psd1 psm1",
    "prolog": "prolog",
    "protobuf": "proto",
    "pug": "jade pug",
    "python": "py pyi pyw",
    "r": "r",
    "racket": "rkt",
    "razor": "cshtml razor vbhtml",
    "restructuredtext": "rest rst",
    "ruby": "gemspec rake rb ru",
    "rust": "rs",
    "sass": "sass",
    "scala": "sbt sc scala",
    "scheme": "scm ss",
    "scss": "scss",
    "shell": "bash fish ksh sh zsh",
    "slim": "slim",
    "smarty": "smarty",
    "solidity": "sol",
    "sql": "ddl dml psql sql",
    "starlark": "bazel bzl star",
    "svelte": "svelte",
    "swift": "swift",
    "systemverilog": "sv svh",
    "tcl": "tcl",
    "template": "tmpl tpl",
    "thrift": "thrift",
    "toml": "toml",
    "tsv": "tab tsv",
    "twig": "twig",
    "typescript": "cts mts ts tsx",
    "vbnet": "vb",
    "vhdl": "vhd vhdl",
    "velocity": "vm vtl",
    "viml": "vim",
    "vue": "vue",
    "wgsl": "wgsl",
    "xml": "plist svg wsdl xml xsd xsl xslt",
    "yaml": "yaml yml",
    "zig": "zig",
}
_NAMES: Final = {
    "cmake": "cmakelists.txt",
    "dockerfile": "containerfile dockerfile",
    "groovy": "jenkinsfile",
    "ini": ".editorconfig .gitconfig .npmrc .pylintrc",
    "json": ".babelrc .eslintrc .prettierrc composer.lock pipfile.lock",
    "makefile": "gnumakefile makefile makefile.am makefile.in",
    "ruby": "brewfile fastfile gemfile guardfile podfile rakefile vagrantfile",
    "shell": ".bash_profile .bashrc .env .envrc .profile .zprofile .zshrc pkgbuild",
    "starlark": "build buck tiltfile workspace",
    "toml": "cargo.lock pdm.lock pipfile poetry.lock uv.lock",
    "yaml": ".clang-format .clang-tidy",
}


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: language for language, words in table.items() for word in words.split()}


_BY_SUFFIX: Final = _by_word(_SUFFIXES)
_BY_NAME: Final = _by_word(_NAMES)
_BLADE: Final = ".blade.php"
_VARIANT: Final = re.compile(r"(containerfile|dockerfile|makefile)[.-]")

_ALIASES: Final = _by_word(
    {
        "assembly": "assembler gas",
        "cpp": "cplusplus",
        "csharp": "c#",
        "dockerfile": "docker",
        "fortran": "fortran90 fortran95",
        "fsharp": "f#",
        "go": "golang",
        "hcl": "opentofu terraform",
        "javascript": "javascriptreact node nodejs",
        "erb": "embedded-template eruby html+erb",
        "gotemplate": "go-template html-template",
        "jinja": "django html+jinja jinja-html nunjucks",
        "lisp": "commonlisp elisp emacs-lisp",
        "objective-c": "obj-c objc objective-c++ objective_c objectivec objectivecpp",
        "powershell": "posh pwsh",
        "python": "ipython python2 python3",
        "restructuredtext": "restructured-text",
        "shell": "posix-shell shellscript",
        "sql": "mysql plsql postgres postgresql sqlite tsql",
        "systemverilog": "verilog",
        "typescript": "typescriptreact",
        "vbnet": "vb.net visualbasic",
        "viml": "vimscript",
    }
)

LANGUAGES: Final = frozenset(_SUFFIXES)
"""Every language that `detect_language` can name."""


def language_name(name: str | None) -> str:
    """Return what `detect_language` calls a language, for any of its usual names.

    >>> language_name("Bash"), language_name("yml"), language_name("c++"), language_name("klingon")
    ('shell', 'yaml', 'cpp', 'klingon')

    A name that is not known is returned in lower case, and "" for None.

    Raises:
        ConfigurationError: `name` is neither a str nor None.
    """
    if name is None:
        return ""
    word = checks.text("language", name).strip().lower()
    if word in LANGUAGES:
        return word
    return _ALIASES.get(word) or _BY_SUFFIX.get(word.removeprefix("."), word)


def detect_language(path: str) -> str | None:
    """Return the programming or markup language of `path` in lower case, or None.

    The name decides, whatever its case; the file is not opened. A suffix that several languages
    share (`.h`, `.m`, `.v`) and one that says nothing (`.txt`, `.log`) give None.
    """
    name = checks.text("path", path).replace("\\", "/").rpartition("/")[2].lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.endswith(_BLADE):  # PHP between tags of its own
        return "blade"
    stem, _, suffix = name.rpartition(".")
    if stem and suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    variant = _VARIANT.match(name)
    return None if variant is None else _BY_NAME[variant[1]]
