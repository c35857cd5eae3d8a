"""Between segments and the messages of the services, without loss.

A message becomes one segment for each of its parts, which share a message id. The originals travel
in `Segment.metadata`, under the name of the format, and come back byte for byte where nothing was
changed. `metadata["opaque"]` is how many characters are paid for beside the content, such as signed
or encrypted data, and `metadata["only"]` the format that alone can say a segment. In another format
a segment is said anew, with all that its original says, or refused.
"""

from orchestrator_context.conversation.formats.anthropic import (
    AnthropicRequest,
    from_anthropic,
    to_anthropic,
)
from orchestrator_context.conversation.formats.openai_chat import from_openai_chat, to_openai_chat
from orchestrator_context.conversation.formats.openai_responses import (
    from_openai_responses,
    to_openai_responses,
)
from orchestrator_context.conversation.formats.without import without_fields

__all__ = [
    "AnthropicRequest",
    "from_anthropic",
    "from_openai_chat",
    "from_openai_responses",
    "to_anthropic",
    "to_openai_chat",
    "to_openai_responses",
    "without_fields",
]
