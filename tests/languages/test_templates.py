"""Templates: text in which every blank line and comment may mean something stays as it is."""

from __future__ import annotations

import pytest

from orchestrator_context.corpus import SelectOptions, select
from orchestrator_context.languages import (
    LANGUAGES,
    detect_language,
    language_name,
    structural_extract,
)
from orchestrator_context.models import Budget, Document
from orchestrator_context.source import compact_source, supports_compaction

PATHS = {
    "app/views/show.html.erb": "erb",
    "index.jsp": "jsp",
    "WEB-INF/tags/head.tagx": "jsp",
    "base.html.twig": "twig",
    "nginx.conf.j2": "jinja",
    "config.py.j2": "jinja",
    "Dockerfile.j2": "jinja",
    "page.jinja2": "jinja",
    "App.vue": "vue",
    "App.svelte": "svelte",
    "index.astro": "astro",
    "users/index.blade.php": "blade",
    "card.hbs": "handlebars",
    "show.html.heex": "eex",
    "mail.ejs": "ejs",
    "list.cshtml": "razor",
    "theme.liquid": "liquid",
    "chart/_helpers.tpl": "template",
    "page.ftl": "freemarker",
    "mail.vm": "velocity",
    "form.pug": "pug",
    "form.haml": "haml",
}
TEXT = """\
<%# a comment %>
{# a comment #}
{{-- a comment --}}
# {{ name }}
// {{ name }}
/* {{ name }} */
<!-- {{ name }} -->
<pre>



<?php
# {{ name }}

def name(): "this"
class Name {}
?>
</pre>
"""


@pytest.mark.parametrize(("path", "language"), PATHS.items())
def test_a_template_has_a_name_and_stays_as_it_is(path: str, language: str) -> None:
    text = TEXT * 4
    assert detect_language(path) == language
    assert language in LANGUAGES
    assert not supports_compaction(language)
    for one in (compact_source(text, path=path), compact_source(text, language=language)):
        assert (one.text, one.elided_lines) == (text, 0)
    assert structural_extract(text, language) == ""


@pytest.mark.parametrize("path", PATHS)
def test_a_selection_has_it_whole_or_in_lines_of_its_own(path: str) -> None:
    options = SelectOptions.recommended()
    for tokens in (60, 150, 300, 2_000):
        reduction = select(
            [Document(path, TEXT * 4)], "name", budget=Budget(tokens), options=options
        )
        assert set(reduction.fidelities) <= {"whole", "partial"}


def test_their_usual_names_are_known() -> None:
    names = ("eruby", "nunjucks", "html+jinja", "hbs", "Django", "heex")
    assert [language_name(name) for name in names] == [
        "erb", "jinja", "jinja", "handlebars", "jinja", "eex",
    ]  # fmt: skip
