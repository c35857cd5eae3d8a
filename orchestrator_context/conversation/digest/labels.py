"""First words that only say what sort of statement follows: "Note:", "Decision:", "Regel:"."""

from __future__ import annotations

import regex

from orchestrator_context.conversation.digest.kinds import Kind
from orchestrator_context.conversation.digest.lexicon import tokens

__all__ = ["LABEL_WORDS", "heading_kind", "label_end"]

_LABEL = regex.compile(r"^([\p{L} /-]{2,40})\s?[:：]\s*(?=\S)")
_FEWEST_WORDS_LEFT = 3
LABEL_WORDS = frozenset(
    """note notes update reminder info rule rules constraint requirement preference fact decision
    task goal state status important warning attention hint tip context background question answer
    correction fyi safety hard soft user key general policy
    hinweis regel anforderung vorgabe vorliebe fakt entscheidung aufgabe ziel stand wichtig
    règle contrainte préférence fait décision tâche objectif remarque
    regla restricción preferencia hecho decisión tarea objetivo nota
    правило ограничение предпочтение факт решение задача цель заметка
    规则 限制 偏好 事实 决定 任务 目标 备注 ルール 制約 好み 事実 決定 タスク 目標 メモ""".split()
)


_HEADINGS: dict[Kind, frozenset[str]] = {
    "rule": frozenset(
        "rule rules regeln règles reglas правила 规则 ルール policies prohibitions".split()
    ),
    "limit": frozenset(
        """limit limits constraint constraints requirement requirements vorgaben anforderungen
        contraintes limites restricciones requisitos ограничения требования
        限制 约束 要求 制約 要件""".split()
    ),
    "decision": frozenset(
        """decision decisions decided entscheidungen beschlüsse décisions decisiones решения
            决定 決定""".split()
    ),
    "task": frozenset(
        """task tasks todo todos steps state status progress pending open goal goals plan aufgaben
        schritte stand offen ziele tâches étapes état tareas pasos estado pendiente задачи шаги
        статус 任务 步骤 状态 待办 目标 タスク 状況 目標""".split()
    ),
    "preference": frozenset(
        """preference preferences wishes vorlieben wünsche préférences preferencias
            предпочтения 偏好 好み""".split()
    ),
    "fact": frozenset(
        """fact facts context background details fakten hintergrund faits contexte hechos
            contexto факты 事实 背景 事実""".split()
    ),
    "question": frozenset("question questions fragen preguntas вопросы 问题 質問".split()),
}


def heading_kind(title: str) -> Kind | None:
    """Return the kind of what stands under a heading, None where it does not tell."""
    words = {word.word for word in tokens(title)} | {title.strip()}
    return next((kind for kind, listed in _HEADINGS.items() if words & listed), None)


def label_end(text: str) -> int:
    """Return where the sentence begins behind such a label; 0 where there is none.

    A label is taken for one only if all of its words speak of statements, never of things:
    "Deploys: only on Fridays" keeps its subject.
    """
    label = _LABEL.match(text)
    if label is None or not all(word.word in LABEL_WORDS for word in tokens(label[1])):
        return 0
    rest = text[label.end() :]
    return label.end() if len(rest.split()) >= _FEWEST_WORDS_LEFT or not text.isascii() else 0
