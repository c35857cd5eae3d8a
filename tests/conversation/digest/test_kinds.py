"""What a sentence does shows in its grammar, in seven languages."""

from __future__ import annotations

import pytest

from orchestrator_context.conversation.digest.statements import statement

SENTENCES = [
    ("rule", "Never open the valve while the pump runs."),
    ("rule", "No dogs in the kitchen, ever."),
    ("rule", "All visitors must sign in."),
    ("rule", "If the alarm rings, leave the building."),
    ("rule", "Öffne niemals das Ventil."),
    ("rule", "Besucher müssen sich anmelden."),
    ("rule", "Il ne faut pas ouvrir la vanne."),
    ("rule", "Está prohibido abrir la válvula."),
    ("rule", "Никогда не открывай клапан."),
    ("rule", "禁止打开阀门。"),
    ("rule", "バルブを絶対に開けないでください。"),
    ("limit", "The talk may take at most 20 minutes."),
    ("limit", "Der Vortrag darf höchstens 20 Minuten dauern."),
    ("limit", "L'exposé doit durer au maximum 20 minutes."),
    ("limit", "La charla dura como máximo 20 minutos."),
    ("limit", "Доклад не более 20 минут."),
    ("limit", "演讲最多20分钟。"),
    ("limit", "発表は最大20分です。"),
    ("decision", "We decided to take the train."),
    ("decision", "Wir haben beschlossen, die Bahn zu nehmen."),
    ("decision", "On a décidé de prendre le train."),
    ("decision", "Decidimos tomar el tren."),
    ("decision", "Мы решили ехать поездом."),
    ("decision", "我们决定坐火车。"),
    ("task", "The next step is painting the fence."),
    ("task", "The fence is still pending."),
    ("task", "Als Nächstes streichen wir den Zaun."),
    ("task", "La prochaine étape est de peindre la clôture."),
    ("task", "La valla sigue pendiente."),
    ("task", "Следующий шаг: покрасить забор."),
    ("task", "下一步是刷围栏。"),
    ("preference", "I prefer short answers."),
    ("preference", "Ich möchte lieber kurze Antworten."),
    ("preference", "Je préfère des réponses courtes."),
    ("preference", "Prefiero respuestas cortas."),
    ("preference", "Я предпочитаю короткие ответы."),
    ("preference", "我喜欢简短的回答。"),
    ("fact", "The gate code is 4711."),
    ("fact", "Der Code am Tor lautet 4711."),
    ("fact", "Le code du portail est 4711."),
    ("fact", "El código de la puerta es 4711."),
    ("fact", "Код ворот 4711."),
    ("fact", "大门的密码是4711。"),
    ("question", "Should the fence be green or brown?"),
    ("question", "栅栏应该是绿色还是棕色？"),
    ("chatter", "Okay, thanks a lot!"),
    ("chatter", "Alles klar, vielen Dank."),
    ("chatter", "D'accord, merci."),
    ("chatter", "Gracias, entendido."),
    ("chatter", "Понятно, спасибо."),
    ("chatter", "好的，明白了。"),
    ("note", "The clouds looked rather dramatic over the lake."),
]


@pytest.mark.parametrize(("kind", "text"), SENTENCES)
def test_kind(kind: str, text: str) -> None:
    assert statement(text).kind == kind


@pytest.mark.parametrize(("kind", "text"), [one for one in SENTENCES if one[0] != "chatter"])
def test_a_label_says_nothing_of_the_kind(kind: str, text: str) -> None:
    for label in ("Note", "FACT", "Question", "User preference", "RULE"):
        assert statement(f"{label}: {text}").kind in (kind, statement(text).kind)


def test_a_label_with_a_subject_is_no_label() -> None:
    assert "$deploy" in statement("Deploys: only on Fridays please").subject
