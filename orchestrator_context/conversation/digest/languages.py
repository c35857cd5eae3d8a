"""Which language a sentence is in, by its small words."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator_context.conversation.digest.lexicon import Token

__all__ = ["language"]

_VOTES: dict[str, frozenset[str]] = {
    "en": frozenset(
        """the is are to of and in for on with be not we it this that from at must i my will
            has by any all only never""".split()
    ),
    "de": frozenset(
        """der die das ist sind nicht und ein eine den dem des für auf mit wir ich zu im bei
            von nie niemals muss nur am bis kein keine soll lautet unser unsere bitte darf
            jetzt haben hat wird wurde mein meine als oder vielen alles dann""".split()
    ),
    "fr": frozenset(
        """le la les est sont ne pas et un une des pour dans avec nous je du sur au jamais doit
            que il notre votre mon ma mes s' l' d' c' j' n' qu' à en ce""".split()
    ),
    "es": frozenset(
        "el la los las es son no y un una para en con del por nunca debe que al está se mi".split()
    ),
    "ru": frozenset("и в не на с что для по мы я это должен никогда только до из к у все".split()),
}


_SMALL_WORDS: dict[str, list[str]] = {}
for _name, _words in _VOTES.items():
    for _word in _words:
        _SMALL_WORDS.setdefault(_word, []).append(_name)


def language(words: Sequence[Token]) -> str:
    """Return the language with most of its small words in a sentence, "" where none has any."""
    votes = dict.fromkeys(_VOTES, 0)
    for word in words:
        for name in _SMALL_WORDS.get(word.word, ()):
            votes[name] += 1
    best = max(votes, key=lambda name: votes[name])
    return best if votes[best] else ""
