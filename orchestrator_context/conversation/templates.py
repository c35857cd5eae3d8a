"""What chat templates and services demand of the order of messages, and what is known by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from orchestrator_context import checks
from orchestrator_context.tokens.names import parse_model_name

SystemPlace = Literal["anywhere", "leading", "single", "none"]

_PLACES: tuple[SystemPlace, ...] = ("anywhere", "leading", "single", "none")


@dataclass(frozen=True, slots=True)
class TemplateRules:
    """What a model demands of its messages. The default demands nothing.

    >>> TemplateRules.from_mapping({"system": "none", "alternating": True}).user_first
    False

    Attributes:
        system: where system messages may stand: "anywhere"; "leading", any number at the front;
            "single", one at the front; or "none", nowhere.
        alternating: whether neighbours may not have the same role.
        user_first: whether the first message after the system messages has to be the user's.
        user_last: whether the last message may not be the assistant's.
        user_after_tool: whether a user message may follow a tool result.
        tools: whether calls and results may be sent as such.
    """

    system: SystemPlace = "anywhere"
    alternating: bool = False
    user_first: bool = False
    user_last: bool = False
    user_after_tool: bool = True
    tools: bool = True

    def __post_init__(self) -> None:
        checks.choice("TemplateRules.system", self.system, _PLACES)
        checks.flag("TemplateRules.alternating", self.alternating)
        checks.flag("TemplateRules.user_first", self.user_first)
        checks.flag("TemplateRules.user_last", self.user_last)
        checks.flag("TemplateRules.user_after_tool", self.user_after_tool)
        checks.flag("TemplateRules.tools", self.tools)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> TemplateRules:
        """Return the rules that `mapping` describes; unknown keys are refused."""
        return cls(**checks.known_keys(cls, mapping))

    def to_mapping(self) -> dict[str, object]:
        """Return the rules as JSON-able data; `from_mapping` makes them again."""
        return asdict(self)


# Gemma 1 to 3: "Gemma formatting and system instructions" (Google): the roles are user and model,
# system instructions stand in the first user turn. The template raises where they do not alternate.
_GEMMA = TemplateRules("none", alternating=True, user_first=True, tools=False)

# Llama 2: the reference code asserts an optional system message, then u/a/u/a/u.
_LLAMA_2 = TemplateRules("single", alternating=True, user_first=True, user_last=True, tools=False)

# Mistral 7B v0.1 and v0.2, Mixtral: the first templates know the roles user and assistant only.
_MISTRAL_7B = TemplateRules("none", alternating=True, user_first=True, tools=False)

# Later Mistral models: the template of Mistral Small 3.1 raises unless, after one optional system
# message, user and assistant alternate, tool messages left aside. The API refuses a user message
# after a tool result and an assistant message at the end (`invalid_request_message_order`).
_MISTRAL = TemplateRules(
    "single", alternating=True, user_first=True, user_last=True, user_after_tool=False
)

# Qwen 3.5 and later: the template raises for a system message that is not the first message, and
# where there is no user message.
_QWEN = TemplateRules("single", user_first=True)

# o1-preview and o1-mini: "Reasoning models" (OpenAI), beta limitations: no system messages, no
# tools.
_O1 = TemplateRules("none", tools=False)

# Claude: "Messages" (Anthropic): the system prompt is a parameter, equal neighbours are combined
# by the service. Before 4.6 a last assistant message is the beginning of the answer; since then
# it is refused ("What's new in Claude 4.6").
_CLAUDE_PREFILL = TemplateRules("leading", user_first=True)
_CLAUDE = TemplateRules("leading", user_first=True, user_last=True)

# Gemini: `system_instruction` is a parameter; contents begin with the user and end with the user
# or a function response.
_GEMINI = TemplateRules("leading", user_first=True, user_last=True)

# Command R and Aya weights: the template raises where roles do not alternate. Cohere's API
# ("Chat API v2") makes no such demand, so its own model names are not meant here.
_COHERE_WEIGHTS = TemplateRules("single", alternating=True, user_first=True)

# deepseek-reasoner: the API refuses successive user or assistant messages, and system messages do
# not separate them.
_DEEPSEEK_REASONER = TemplateRules("leading", alternating=True, user_first=True)

# Perplexity's Sonar: "After the (optional) system message(s), user or tool message(s) should
# alternate with assistant message(s)"; the last one is the user's or a tool's.
_SONAR = TemplateRules("leading", alternating=True, user_first=True, user_last=True)

# The first pattern that matches the beginning of a bare model name decides. Families that are not
# listed take messages as they come: GPT, Llama 3 and 4, Qwen up to 3, Command models of the API.
_FAMILIES: tuple[tuple[re.Pattern[str], TemplateRules], ...] = tuple(
    (re.compile(pattern), rules)
    for pattern, rules in (
        (r"gemma-?4(?!b)", TemplateRules("single")),  # its template has a system turn
        (r"(?:code|data|med|pali|shield|t5)?gemma", _GEMMA),
        (r"(?:meta-)?llama-?2|codellama", _LLAMA_2),
        (r"(?:mistral-7b|mixtral-8x7b)(?:-instruct)?-v0\.[12]", _MISTRAL_7B),
        (r"(?:open-)?(?:mi[sx]tral|ministral|magistral|pixtral)|codestral|devstral", _MISTRAL),
        (r"qwen-?(?:3[.p][5-9]|(?:[4-9]|\d\d)(?!\d*b))", _QWEN),
        (r"o1-(?:mini|preview)", _O1),
        (r"claude-(?:instant|v?[12]\b|3"
         r"|(?:opus|sonnet|haiku)-4(?:[-.][0-5]\b|-20|-latest|@|$)"
         r"|4(?:[-.][0-5])?(?:-(?:opus|sonnet|haiku)|$))", _CLAUDE_PREFILL),
        (r"claude", _CLAUDE),
        (r"gemini", _GEMINI),
        (r"c4ai-(?:command-r-(?:plus|v01|08)|aya)|aya-", _COHERE_WEIGHTS),
        (r"deepseek-(?:reasoner|r1)", _DEEPSEEK_REASONER),
        (r"(?:perplexity-)?sonar", _SONAR),
    )
)  # fmt: skip


def template_rules(model_name: str) -> TemplateRules:
    """Return what is known of the demands of a model; an unknown one demands nothing.

    >>> template_rules("google/gemma-3-27b-it").system
    'none'
    >>> template_rules("gpt-5") == TemplateRules()
    True

    The name may be written as providers, gateways and local servers write it. Rules are those of
    the model's published template or API documentation; a service may be more lenient.

    Raises:
        ConfigurationError: the name is blank.
    """
    name = parse_model_name(checks.text("model_name", model_name, blank=False)).model
    found = (rules for pattern, rules in _FAMILIES if pattern.match(name))
    return next(found, TemplateRules())
