"""What a sentence does, told by its grammar: forbid, limit, prefer, decide, report, ask, state."""

from __future__ import annotations

from typing import Literal

import regex

from orchestrator_context.conversation.digest.lexicon import Token
from orchestrator_context.conversation.digest.values import Value

__all__ = ["CHATTER", "IMPERATIVES", "KINDS", "Kind", "kind_of"]

Kind = Literal[
    "rule", "limit", "decision", "task", "preference", "fact", "question", "note", "chatter"
]
KINDS: tuple[Kind, ...] = (
    "rule", "limit", "decision", "task", "preference", "fact", "question", "note", "chatter",
)  # fmt: skip

_QUESTION = regex.compile(r"[?？¿][\s\"'”’)\]*]*$|(?:吗|呢|か|でしょうか)[。\s]*$")
_FEWEST_BAN_WORDS = 4
_FEWEST_QUESTION_WORDS = 2  # that a question is about; "anything else?" asks nothing
_MOST_OTHER_WORDS = 1
CHATTER = frozenset(
    """ok okay thanks thank thx noted sure great acknowledged understood sounds perfect hello
    hi hey welcome cool nice alright right yes yep yeah nope continuing continue proceed
    proceeding plan recorded got good morning afternoon evening absolutely certainly
    course glad happy done wonderful awesome excellent anything something else mind help
    comes fine cheers bye goodbye fantastic wow haha lol sorry apologies danke vielen dank
    klar gut prima super verstanden notiert alles gerne natürlich hallo moin tschüss passt
    genau stimmt okay merci parfait entendu compris noté bonjour salut bien accord super
    gracias perfecto entendido anotado hola vale claro bueno genial спасибо понял поняла
    понятно хорошо отлично привет ладно записал записала принято""".split()
)
_WIDE_CHATTER = regex.compile(
    r"^(?:(?:好的?|明白了?|收到|谢谢你?|知道了|没问题|了解|はい|ありがとう(?:ございます)?|了解(?:です|しました)?|"
    r"わかりました|承知(?:しました)?|こんにちは|你好|继续|記録しました|记下了|已记录)(?:[，,。.！!、\s]|吧|了|ね)*)+"
    r"(?:继续(?:吧|进行)?|記録しました|记下了|已记录)?[。.！!\s]*$"
)
IMPERATIVES = frozenset(
    """report use keep run write send put answer reply show store ask stop call notify add
    include respond format deploy test check limit treat return save give tell provide follow
    start stick leave remove delete create build implement fix make set log list sort name
    mark label prefix round convert encrypt hash escape validate verify confirm wait schedule
    book order cook serve prepare assume consider address speak print render display translate
    summarise summarize quote cite mention remember pass route escalate hand pin rotate push
    merge tag commit plan stay describe explain draft design refactor generate find compute
    calculate measure do let turn go allow reserve grant
    verwende verwendet benutze nutze nutzt schreib schreibe
    antworte antwortet zeige zeig gib halte halten speichere melde frag frage nimm lass sende
    schicke stelle stell runde lege führe prüfe utilise utilisez réponds répondez écris
    écrivez donne donnez affiche affichez garde gardez envoie envoyez fais faites mets mettez
    demande demandez usa use utiliza utilice responde responda escribe escriba muestra muestre
    guarda guarde envía envíe haz haga pon ponga pide pregunta mantén mantenga используй
    используйте отвечай отвечайте пиши пишите показывай показывайте храни храните отправляй
    отправляйте указывай указывайте сделай сделайте спрашивай спрашивайте держи держите
    """.split()
)
_TELLING = frozenset({"withdraw", "done", "forbid", "error", "next", "goal"})
_NO = frozenset("no kein keine keinen aucun aucune pas ningún ninguna никаких".split())
_POLITE = frozenset("please bitte por s'il kindly just also then and so пожалуйста".split())
_WIDE_IMPERATIVE = regex.compile(r"^请|てください|下さい|しろ[。！]?$|すること[。]?$")


def kind_of(
    text: str,
    words: list[Token],
    cues: frozenset[str],
    values: tuple[Value, ...],
    subjects: int,
) -> Kind:
    """Return what the sentence does.

    Args:
        text: the sentence.
        words: its words in scripts with spaces.
        cues: names of the cues in it.
        values: the values in it.
        subjects: how many words it is about.
    """
    hard = any(value.is_hard for value in values)
    if _is_ban(text, words, cues):
        return "rule"
    telling = bool(values) or bool(cues & _TELLING)
    if _is_chatter(text, words, telling, subjects):
        return "chatter"
    if _QUESTION.search(text):
        return "question"
    if "forbid" in cues:
        return "rule"
    ordered = _imperative(text, words)
    return _modal(cues, ordered, hard) or _plain(cues, ordered, bool(values), hard)


def _is_ban(text: str, words: list[Token], cues: frozenset[str]) -> bool:
    """Return whether the sentence forbids without a verb: "No dogs in the kitchen"."""
    return (
        len(words) >= _FEWEST_BAN_WORDS
        and words[0].word in _NO
        and text[words[0].end : words[0].end + 1] == " "
        and "copula" not in cues
    )


def _modal(cues: frozenset[str], ordered: bool, hard: bool) -> Kind | None:
    if "task" in cues and "oblige" not in cues:
        return "task"
    if "prefer" in cues and "limit" not in cues:
        return "preference"
    if "limit" in cues and (hard or "oblige" in cues or ordered):
        return "limit"
    if "oblige" in cues:
        return "rule"
    if "decide" in cues:
        return "task" if "negation" in cues else "decision"
    return "limit" if "limit" in cues else None


def _plain(cues: frozenset[str], ordered: bool, valued: bool, hard: bool) -> Kind:
    if "only" in cues and (ordered or hard):
        return "limit"
    if ordered:
        return "rule" if cues & {"universal", "conditional", "only"} else "preference"
    if "conditional" in cues and "copula" not in cues:
        return "rule"
    if cues & {"done", "error"} and "copula" in cues:
        return "task"
    if hard or (valued and "copula" in cues):
        return "fact"
    return "note"


def _is_chatter(text: str, words: list[Token], valued: bool, subjects: int) -> bool:
    if valued:
        return False
    if _QUESTION.search(text):
        return subjects < _FEWEST_QUESTION_WORDS and bool(words)
    if not words:
        return subjects == 0 or _WIDE_CHATTER.match(text) is not None
    if subjects == 0:
        return True
    said = sum(word.word in CHATTER for word in words)
    return said > 0 and subjects - said <= _MOST_OTHER_WORDS and len(words) <= 12


def _imperative(text: str, words: list[Token]) -> bool:
    """Return whether it tells to do something: it begins with such a verb, or with an if."""
    if _WIDE_IMPERATIVE.search(text):
        return True
    for word in words[:4]:
        if word.word in IMPERATIVES:
            return True
        if word.word not in _POLITE:
            break
    after_comma = text.find(", ")
    return after_comma > 0 and any(
        word.start == after_comma + 2 and word.word in IMPERATIVES for word in words
    )
