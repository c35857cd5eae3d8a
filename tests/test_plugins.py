from __future__ import annotations

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.plugins import GENERATORS, load_generator
from orchestrator_context.providers.openai import OpenAIGenerator

PLUGIN = """
import {needs}
from orchestrator_context.providers.function import FunctionGenerator

async def ask(prompt):
    return prompt

def make(model, *, window=None):
    return FunctionGenerator(ask, name=model, window=window)

def alone():
    return FunctionGenerator(ask)

def broken(model):
    return "no generator"

constant = 7
"""
ENTRIES = """
[orchestrator_context.generators]
acme = acme_models:make
alone = acme_models:alone
broken = acme_models:broken
constant = acme_models:constant
typo = acme_models:nothing
local = acme_models:make
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package with plug-ins; one of them has the name of one of ours."""
    _install(tmp_path, monkeypatch, needs="math")


def _install(path: Path, monkeypatch: pytest.MonkeyPatch, *, needs: str) -> None:
    metadata = path / "acme_models-1.0.dist-info"
    metadata.mkdir()
    (path / "acme_models.py").write_text(PLUGIN.format(needs=needs))
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme-models\nVersion: 1.0\nProvides-Extra: acme\n"
    )
    (metadata / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(path))
    monkeypatch.delitem(sys.modules, "acme_models", raising=False)


@pytest.mark.parametrize(
    ("spec", "model"),
    [
        ("openai:gpt-5", "gpt-5"),
        ("openai:ft:gpt-4o:org::id", "ft:gpt-4o:org::id"),
        ("openai:llama3.1:8b", "llama3.1:8b"),
        ("openai:vendor/model", "vendor/model"),
    ],
)
def test_what_follows_the_first_colon_is_the_model(spec: str, model: str) -> None:
    generator = load_generator(spec, api_key="k")
    assert isinstance(generator, OpenAIGenerator)
    assert generator.profile.name == model


def test_options_are_passed_on() -> None:
    generator = load_generator("openai:mine", base_url="http://127.0.0.1:1", window=777)
    assert generator.profile.window == 777


@pytest.mark.usefixtures("acme")
def test_a_provider_may_have_no_model() -> None:
    assert load_generator("alone").profile.name == "ask"
    with pytest.raises(ConfigurationError, match="too many"):
        load_generator("alone:x")


@pytest.mark.usefixtures("acme")
def test_a_package_adds_a_provider() -> None:
    profile = load_generator("acme:big", window=9).profile
    assert (profile.name, profile.window) == ("big", 9)


def test_an_unknown_provider_lists_what_is_installed() -> None:
    with pytest.raises(ConfigurationError, match="no provider 'gpt-5'") as caught:
        load_generator("gpt-5")
    for name in entry_points(group=GENERATORS).names:
        assert name in str(caught.value)


@pytest.mark.parametrize("spec", ["openai:", "openai: "])
def test_an_empty_model_is_refused(spec: str) -> None:
    with pytest.raises(ConfigurationError, match="names no model; write openai:<model>"):
        load_generator(spec)


def test_a_missing_model_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"'model'; .* openai:<model>"):
        load_generator("openai", api_key="k")
    with pytest.raises(ConfigurationError, match=r"'path'; .* local:<model>"):
        load_generator("local")


@pytest.mark.parametrize("spec", ["", " ", 5, None])
def test_a_spec_must_be_a_text(spec: object) -> None:
    with pytest.raises(ConfigurationError, match="spec"):
        load_generator(spec)  # type: ignore[arg-type]


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match="'colour'"):
        load_generator("openai:gpt-5", api_key="k", colour="red")


def test_errors_of_the_provider_reach_the_caller() -> None:
    with pytest.raises(ConfigurationError, match="window"):
        load_generator("openai:gpt-5", api_key="k", window=-1)


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("broken:x", "is no generator"),
        ("constant:x", "cannot be called"),
        ("typo:x", r"cannot be imported: .*nothing"),
        ("local:x", r"Several packages.*acme_models:make.*LocalGenerator"),
    ],
)
def test_a_plug_in_that_does_not_work_is_named(spec: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_generator(spec)


def test_a_plug_in_that_cannot_be_imported_names_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, monkeypatch, needs="a_package_that_is_not_there")
    with pytest.raises(ConfigurationError, match="a_package_that_is_not_there") as caught:
        load_generator("acme:big")
    assert "pip install 'acme-models[acme]'" in str(caught.value)
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


@given(st.text())
def test_any_text_gives_a_generator_or_our_error(spec: str) -> None:
    try:
        load_generator(f"acme{spec}")
    except ConfigurationError:
        return
    raise AssertionError("there is no such provider")
