"""First words that only say what sort of statement follows: "Note:", "Decision:", "Regel:"."""

from __future__ import annotations

import regex

from orchestrator_context.conversation.digest.lexicon import tokens

__all__ = ["LABEL_WORDS", "label_end"]

_LABEL = regex.compile(r"^([\p{L} /-]{2,40})\s?[:：]\s*(?=\S)")
_FEWEST_WORDS_LEFT = 3
LABEL_WORDS = frozenset(
    """note notes update reminder info rule rules constraint requirement preference fact decision task
    goal state status important warning attention hint tip context background question answer
    correction fyi safety hard soft user key general policy
    hinweis regel anforderung vorgabe vorliebe fakt entscheidung aufgabe ziel stand wichtig
    règle contrainte préférence fait décision tâche objectif remarque
    regla restricción preferencia hecho decisión tarea objetivo nota
    правило ограничение предпочтение факт решение задача цель заметка
    规则 限制 偏好 事实 决定 任务 目标 备注 ルール 制約 好み 事実 決定 タスク 目標 メモ""".split()
)


def label_end(text: str) -> int:
    """Return where the sentence begins behind such a label; 0 where there is none.

    A label is taken for one only if all of its words speak of statements, never of things: "Deploys:
    only on Fridays" keeps its subject.
    """
    label = _LABEL.match(text)
    if label is None or not all(word.word in LABEL_WORDS for word in tokens(label[1])):
        return 0
    rest = text[label.end() :]
    return label.end() if len(rest.split()) >= _FEWEST_WORDS_LEFT or not text.isascii() else 0
