from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation.templates import TemplateRules, template_rules
from orchestrator_context.exceptions import ConfigurationError

ANYTHING = TemplateRules()


@pytest.mark.parametrize(
    "name",
    ["gemma-3-27b-it", "google/gemma-2-9b-it", "gemma3:12b", "gemma-7b", "codegemma", "gemma3n:e4b",
     "google.gemma-3-12b-it", "medgemma-4b-it"],
)  # fmt: skip
def test_gemma_knows_no_system_and_no_tools(name: str) -> None:
    assert template_rules(name) == TemplateRules(
        "none", alternating=True, user_first=True, tools=False
    )


@pytest.mark.parametrize(
    "name",
    ["mistral-large-latest", "mistralai/Mistral-Small-3.1-24B-Instruct-2503", "mixtral:8x22b",
     "codestral-2508", "mistral/devstral-2512", "open-mistral-7b", "ministral-3b-2512",
     "Mistral-7B-Instruct-v0.3"],
)  # fmt: skip
def test_mistral_alternates_and_answers_tool_results_itself(name: str) -> None:
    assert template_rules(name) == TemplateRules(
        "single", alternating=True, user_first=True, user_last=True, user_after_tool=False
    )


@pytest.mark.parametrize(
    "name", ["Mistral-7B-Instruct-v0.1", "mistralai/Mixtral-8x7B-Instruct-v0.1"]
)
def test_the_first_mistral_models_know_no_system(name: str) -> None:
    assert template_rules(name).system == "none"


@pytest.mark.parametrize("name", ["meta-llama/Llama-2-7b-chat-hf", "llama2:70b", "codellama:13b"])
def test_llama_2_alternates(name: str) -> None:
    assert template_rules(name).alternating


@pytest.mark.parametrize(
    "name", ["Qwen/Qwen3.5-9B", "qwen3.6-27b", "qwen3p7-plus", "Qwen3.8-Max", "qwen4-8b"]
)
def test_new_qwen_takes_one_system_message_at_the_front(name: str) -> None:
    assert template_rules(name) == TemplateRules("single", user_first=True)


@pytest.mark.parametrize(
    "name",
    ["claude-3-5-sonnet-20241022", "claude-opus-4-20250514", "claude-opus-4-5", "claude-2.1",
     "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic/claude-sonnet-4",
     "anthropic/claude-sonnet-4.5", "claude-haiku-4-5-20251001", "claude-4-opus"],
)  # fmt: skip
def test_older_claude_takes_the_beginning_of_its_answer(name: str) -> None:
    assert template_rules(name) == TemplateRules("leading", user_first=True)


@pytest.mark.parametrize(
    "name",
    ["claude-opus-4-6", "anthropic/claude-sonnet-4.6", "claude-opus-4-8-20260528",
     "claude-fable-5", "claude-haiku-5-5"],
)  # fmt: skip
def test_newer_claude_does_not(name: str) -> None:
    assert template_rules(name) == TemplateRules("leading", user_first=True, user_last=True)


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("gemma-4-31b-it", "single"),
        ("gemini-2.5-pro", "leading"),
        ("o1-mini", "none"),
        ("o1-preview-2024-09-12", "none"),
        ("deepseek/deepseek-reasoner", "leading"),
        ("perplexity/sonar-pro", "leading"),
        ("CohereForAI/aya-23-8B", "single"),
        ("c4ai-command-r-plus", "single"),
    ],
)
def test_other_families_are_known(name: str, system: str) -> None:
    assert template_rules(name).system == system


@pytest.mark.parametrize(
    "name",
    ["gpt-5", "gpt-4o", "o1", "o3-mini", "llama3.1:8b", "meta-llama/Llama-3.3-70B-Instruct",
     "llama-4-scout", "qwen-72b-chat", "Qwen2.5-7B-Instruct", "qwen3-max", "qwen3:8b", "qwen-7b",
     "command-a-03-2025", "command-r-plus", "c4ai-command-r7b-12-2024", "deepseek-chat", "grok-4",
     "somebody/unknown"],
)  # fmt: skip
def test_all_others_demand_nothing(name: str) -> None:
    assert template_rules(name) == ANYTHING


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_blank_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="model_name"):
        template_rules(name)


rules = st.builds(
    TemplateRules,
    st.sampled_from(["anywhere", "leading", "single", "none"]),
    st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip


@given(rules)
def test_rules_survive_json(given_rules: TemplateRules) -> None:
    mapping = json.loads(json.dumps(given_rules.to_mapping()))
    assert TemplateRules.from_mapping(mapping) == given_rules


@pytest.mark.parametrize(
    ("mapping", "reason"),
    [
        ({"sytem": "none"}, "no setting 'sytem'"),
        ({"system": "middle"}, "one of anywhere, leading, single, none"),
        ({"alternating": 1}, "alternating must be True or False"),
        ({"user_first": "yes"}, "user_first"),
        ({"user_last": None}, "user_last"),
        ({"user_after_tool": 0}, "user_after_tool"),
        ({"tools": "no"}, "tools"),
    ],
)
def test_what_is_no_rule_is_refused(mapping: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        TemplateRules.from_mapping(mapping)
