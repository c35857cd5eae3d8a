"""What a question asks for: its words, without those that any text holds, and what they weigh."""

from __future__ import annotations

import regex

from orchestrator_context import checks
from orchestrator_context.words import words

_NAME_WEIGHT = 2.0  # a question is about what it names
_PART_WEIGHT = 0.5  # "wait" for `wait_for`

FUNCTION_WORDS = frozenset(
    # English
    "a about above after again all also am an and any are as at be because been before being "
    "below between both but by can could did do does doing down during each few for from "
    "further get gets give given gives got had has have having he her here hers him his how i "
    "if in into is it its itself just let made make makes may me might more most must my no "
    "nor not of off on once only or other our out over own please same shall she should so "
    "some such than that the their them then there these they this those through to too under "
    "until up us was we were what when where which while who whom whose why will with would "
    "you your dont doesnt isnt cant whats "
    # German
    "aber als am an auch auf aus bei bin bis da damit das dass dem den der des die dies diese "
    "dieser dieses doch durch ein eine einem einen einer eines er es für hat haben ich ihr im "
    "ist kann mit nach nicht noch oder sich sie sind soll um und vom von vor wann warum was "
    "welche welcher welches wenn wer werden wie wird wo wurde zu zum zur über "
    # French
    "au aux avec ce ces cette comment dans de des du elle en est et il ils la le les leur lui "
    "mais ne nous ou où par pas pour pourquoi quand que quel quelle quelles quels qui quoi sa "
    "se ses son sont sur un une vous "
    # Spanish, Portuguese, Italian
    "al cómo como con cuál cual cuándo del el ella entre es esta este fue las lo los más muy "
    "no o para pero por porqué qué quién se según ser si sin sobre son su sus una uno y ao "
    "aos com da das do dos e em foi mais na não nas nos os ou pela pelo qual quando são seu "
    "sua um uma che chi ci cosa dal dalla degli dei della delle di dove gli ha ho i il nel "
    "nella non per perché più quale sono sul tra "
    # Russian
    "а без бы был была были было быть в вы где для до его ее если есть же за и из или их к "
    "как какая какие какой когда кто ли на не но о об он она они от по почему при с со так "
    "такое то у что чтобы это "
    # Chinese and Japanese, as pairs of characters
    "什么 甚麼 怎么 怎樣 如何 为什 為什 多少 哪些 哪个 哪里 是否 可以 是什 么是 有什 "
    "です ます した どの のか すか いつ どう なに".split()
)
_TOKEN = regex.compile(r"[^\s,;:?!()\[\]{}\"“”«»。，？！、：；（）]+")


def question_words(question: str) -> dict[str, float]:
    """Return the words that an answer would hold, stemmed, and how much each counts.

    A name counts twice: a word with a capital that does not begin the question, an identifier, a
    word with a digit. The parts of a compound count half. What is left out are function words of
    the more common languages, and single letters.
    """
    weights: dict[str, float] = {}
    for position, token in enumerate(_TOKEN.findall(checks.text("question", question))):
        plain = words(token)
        for word, stem in zip(plain, words(token, stem=True), strict=True):
            if word in FUNCTION_WORDS or (len(word) == 1 and word.isalpha() and word.isascii()):
                continue
            part = any(word in other and word != other for other in plain)
            weight = _PART_WEIGHT if part else _weight(token, first=position == 0)
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return weights


def _weight(token: str, *, first: bool) -> float:
    core = token.strip(".'’`*")
    tail = core if not first else core[1:]
    marked = "_" in core or "`" in token or any(char.isdigit() for char in core)
    return _NAME_WEIGHT if marked or tail != tail.lower() else 1.0
