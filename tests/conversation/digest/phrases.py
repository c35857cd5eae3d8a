"""What is said in the made-up conversations: subjects with their wordings, and filler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["BANKS", "Bank", "Subject"]


@dataclass(frozen=True)
class Subject:
    """Something that can be said of a subject.

    Attributes:
        key: names it.
        value: the sort of its value.
        statements: ways of saying it, with {v}.
        updates: ways of changing it later; none where it never changes.
        words: words that a summary must keep beside the value.
    """

    key: str
    value: str
    statements: tuple[str, ...]
    updates: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bank:
    """What is said in one language."""

    language: str
    subjects: tuple[Subject, ...]
    filler: tuple[str, ...]
    acknowledgements: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()


_ENGLISH_FILLER = (
    "I spent most of the afternoon going through old photographs with my sister and laughing a lot.",
    "The weather has been strange lately, warm in the morning and then suddenly grey and windy.",
    "We talked about how the previous tenants had painted everything in the same dull beige.",
    "Somebody at the market recommended a bakery around the corner, though it was closed again.",
    "I was wondering how people managed all of this before everybody carried a phone around.",
    "The neighbours had a small party, nothing wild, mostly music and somebody playing the guitar.",
    "It took a while to find parking, but the walk along the river made up for it in the end.",
    "There was a long discussion about curtains that went nowhere, as such discussions tend to go.",
    "My colleague told a funny story about a goat that had wandered into their office lobby.",
    "We looked at several catalogues and mostly agreed that modern chairs look uncomfortable.",
    "It took us about forty minutes to find the place, and then the door was locked anyway.",
    "The old radio only works when you hit it twice, which everybody finds hilarious.",
    "They said the lift should be working again soon, but nobody really believes that.",
    "Three of the chairs are wobbly, so we just sat on the stairs and had our tea there.",
)
_ENGLISH_ACKS = (
    "Got it, thanks for letting me know. Let me continue with the rest of it.",
    "Sounds good, I will keep going from here.",
    "Understood. Happy to help with whatever comes up.",
    "Okay, noted. Anything else that comes to mind?",
)
_ENGLISH = Bank(
    "en",
    (
        Subject("alarm", "pin", ("Never hand out the alarm PIN {v} to visitors.", "The alarm PIN {v} must not be given to visitors."), ("The alarm PIN was changed, it is {v} now and visitors still must not get it.",), ("alarm",)),
        Subject("valve", "code", ("Nobody may open valve {v} while the pump is running.", "Do not open valve {v} as long as the pump runs."), (), ("valve", "pump")),
        Subject("patients", "mail", ("Under no circumstances forward patient files to {v}.", "Patient files must never be forwarded to {v}."), (), ("patient files",)),
        Subject("backups", "person", ("Always ask {v} before you delete any backups.", "Backups must not be deleted without asking {v}."), ("From now on it is {v} who has to be asked before backups get deleted.",), ("backups",)),
        Subject("smoke", "pin", ("If the smoke detector goes off, evacuate first and then call {v}.",), (), ("evacuate", "smoke detector")),
        Subject("kitchen", "money", ("We can spend at most {v} on the kitchen.", "The kitchen must not cost more than {v}."), ("I talked to the bank, so the maximum for the kitchen is {v} now.", "Change of plan: we raise what we can spend on the kitchen to {v}."), ("kitchen",)),
        Subject("essay", "number", ("The essay must stay under {v} words.", "No more than {v} words for the essay."), ("Correction: the essay may have up to {v} words.",), ("essay",)),
        Subject("tender", "day", ("The tender has to be handed in by {v}.", "We need to hand in the tender no later than {v}."), ("They pushed back the tender, it is due on {v} instead.",), ("tender",)),
        Subject("barn", "small", ("At most {v} guests fit into the barn.", "The barn holds a maximum of {v} guests."), (), ("barn",)),
        Subject("boat", "name", ("Our boat is called {v}.", "The boat goes by the name {v}."), ("We renamed the boat, she is called {v} now.",), ("boat",)),
        Subject("caretaker", "person", ("The caretaker of the house is {v}.", "{v} is the caretaker of the house."), ("{v} took over as caretaker of the house.",), ("caretaker",)),
        Subject("flight", "code", ("My flight is {v}.", "I am booked on flight {v}."), ("The airline moved me, my flight is {v} instead.",), ("flight",)),
        Subject("invoices", "mail", ("Invoices go to {v}.", "The address for invoices is {v}."), ("Please send invoices to {v} from now on.",), ("invoices",)),
        Subject("test-port", "port", ("The test server listens on port {v}.",), (), ("test server",)),
        Subject("live-port", "port", ("The production server listens on port {v}.",), (), ("production server",)),
        Subject("permit", "code", ("We are still waiting for permit {v} from the city.", "Permit {v} from the city is still pending."), (), ("permit",)),
        Subject("work-branch", "branch", ("I am working on {v} right now, nothing is merged yet.", "Current work happens on {v} and is not merged yet."), ("We switched our work to {v}, still not merged.",), ("merged",)),
        Subject("failing", "code", ("The importer check {v} fails and has to be fixed next.", "Next we need to fix the importer check {v}, it fails."), (), ("importer",)),
        Subject("summaries", "tone", ("I like {v} summaries.", "I prefer my summaries {v}."), ("I would rather have {v} summaries from now on.",), ("summaries",)),
        Subject("digest-day", "weekday", ("I want the newsletter draft every {v}.", "Send me the newsletter draft on {v}, please."), ("Let's move the newsletter draft to {v}.",), ("newsletter",)),
        Subject("editor", "name", ("My favourite font is {v}, use it in the slides.",), (), ("font",)),
        Subject("north-budget", "money", ("The roof of the north wing may cost up to {v}.",), (), ("north wing",)),
        Subject("south-budget", "money", ("The roof of the south wing may cost up to {v}.",), (), ("south wing",)),
        Subject("compiler", "version", ("We only support compiler version {v}.", "The compiler must be version {v}."), ("The compiler must be version {v} instead.",), ("compiler",)),
    ),
    _ENGLISH_FILLER,
    _ENGLISH_ACKS,
    (("test-port", "live-port"), ("north-budget", "south-budget")),
)
_GERMAN_FILLER = (
    "Am Nachmittag haben wir lange im Garten gesessen und über alte Zeiten geredet.",
    "Das Wetter war durchwachsen, erst sonnig und dann zog es sich wieder ganz schön zu.",
    "Im Treppenhaus roch es nach frischer Farbe, irgendwer streicht da wohl schon wieder.",
    "Meine Schwester hat eine lustige Geschichte von ihrem Hund und dem Postboten erzählt.",
    "Wir haben uns ein paar Kataloge angesehen, aber so richtig überzeugt hat uns da wenig.",
    "Die Bahn war ziemlich voll, immerhin gab es unterwegs eine schöne Aussicht auf den See.",
    "In der Bäckerei um die Ecke gab es wieder diese Brötchen mit den Körnern obendrauf.",
    "Die Nachbarn hatten Besuch, es wurde ein bisschen Musik gemacht und viel gelacht.",
    "Drei von den Stühlen wackeln, also haben wir uns einfach auf die Treppe gesetzt.",
    "Der Aufzug soll bald wieder gehen, aber so richtig glaubt das hier keiner.",
)
_GERMAN_ACKS = (
    "Alles klar, danke für die Information. Ich mache dann weiter.",
    "Verstanden, vielen Dank.",
    "Gut, das habe ich notiert.",
)
_GERMAN = Bank(
    "de",
    (
        Subject("alarm", "pin", ("Gib den Alarmcode {v} niemals an Besucher weiter.", "Der Alarmcode {v} darf nicht an Besucher gehen."), ("Der Alarmcode wurde geändert, er lautet jetzt {v} und bleibt geheim.",), ("alarmcode",)),
        Subject("ventil", "code", ("Niemand darf Ventil {v} öffnen, solange die Pumpe läuft.", "Ventil {v} darf bei laufender Pumpe nicht geöffnet werden."), (), ("ventil",)),
        Subject("akten", "mail", ("Patientenakten dürfen auf keinen Fall an {v} gehen.",), (), ("patientenakten",)),
        Subject("sicherung", "person", ("Frag immer {v}, bevor du Sicherungen löschst.", "Sicherungen dürfen nicht ohne {v} gelöscht werden."), (), ("sicherungen",)),
        Subject("kueche", "euros", ("Die Küche darf höchstens {v} kosten.", "Für die Küche können wir maximal {v} ausgeben."), ("Neue Obergrenze für die Küche: jetzt sind es {v}.", "Die Küche darf jetzt doch bis zu {v} kosten."), ("küche",)),
        Subject("aufsatz", "number", ("Der Aufsatz soll höchstens {v} Wörter haben.",), ("Korrektur: der Aufsatz darf maximal {v} Wörter haben.",), ("aufsatz",)),
        Subject("angebot", "day", ("Das Angebot muss bis {v} abgegeben werden.", "Die Frist für das Angebot ist der {v}."), ("Die Frist für das Angebot wurde auf den {v} verschoben.",), ("angebot",)),
        Subject("scheune", "small", ("In die Scheune passen maximal {v} Gäste.",), (), ("scheune",)),
        Subject("boot", "name", ("Unser Boot heißt {v}.",), (), ("boot",)),
        Subject("hausmeister", "person", ("Der Hausmeister ist {v}.", "{v} ist der Hausmeister."), ("Der neue Hausmeister ist jetzt {v}.",), ("hausmeister",)),
        Subject("flug", "code", ("Mein Flug hat die Nummer {v}.", "Ich bin auf Flug {v} gebucht."), ("Ich wurde umgebucht, mein Flug ist jetzt {v}.",), ("flug",)),
        Subject("rechnung", "mail", ("Rechnungen gehen an {v}.",), ("Rechnungen bitte ab sofort an {v} schicken.",), ("rechnungen",)),
        Subject("testport", "port", ("Der Testserver läuft auf Port {v}.",), (), ("testserver",)),
        Subject("prodport", "port", ("Der Produktionsserver läuft auf Port {v}.",), (), ("produktionsserver",)),
        Subject("genehmigung", "code", ("Die Genehmigung {v} von der Stadt steht noch aus.", "Wir warten noch auf die Genehmigung {v} der Stadt."), (), ("genehmigung",)),
        Subject("zweig", "branch", ("Wir arbeiten gerade auf {v}, noch nichts ist zusammengeführt.",), ("Wir sind mit der Arbeit auf {v} gewechselt.",), ()),
        Subject("pruefung", "code", ("Als Nächstes muss die Prüfung {v} repariert werden.",), (), ("prüfung",)),
        Subject("zusammenfassung", "tone", ("Ich mag {v} Zusammenfassungen.", "Ich möchte {v} Zusammenfassungen."), ("Ich hätte ab jetzt lieber {v} Zusammenfassungen.",), ("zusammenfassungen",)),
        Subject("rundbrief", "weekday", ("Den Rundbrief möchte ich immer am {v} bekommen.",), ("Den Rundbrief hätte ich jetzt lieber am {v}.",), ("rundbrief",)),
        Subject("schrift", "name", ("Meine Lieblingsschrift ist {v}, nimm sie für die Folien.",), (), ("folien",)),
    ),
    _GERMAN_FILLER,
    _GERMAN_ACKS,
    (("testport", "prodport"),),
)
_FRENCH = Bank(
    "fr",
    (
        Subject("alarme", "pin", ("Ne donne jamais le code d'alarme {v} aux visiteurs.", "Le code d'alarme {v} ne doit pas être donné aux visiteurs."), ("Le code d'alarme a changé, c'est désormais {v}.",), ("alarme",)),
        Subject("vanne", "code", ("Personne ne doit jamais ouvrir la vanne {v} quand la pompe tourne.",), (), ("vanne",)),
        Subject("dossiers", "mail", ("Il est interdit d'envoyer les dossiers des patients à {v}.",), (), ("dossiers",)),
        Subject("sauvegardes", "person", ("Il faut toujours demander à {v} avant de supprimer les sauvegardes.",), (), ("sauvegardes",)),
        Subject("cuisine", "money", ("La cuisine doit coûter au maximum {v}.", "On peut dépenser {v} au plus pour la cuisine."), ("Finalement le maximum pour la cuisine passe à {v}.",), ("cuisine",)),
        Subject("dissertation", "number", ("La dissertation doit faire au plus {v} mots.",), ("Correction : la dissertation peut faire jusqu'à {v} mots.",), ("dissertation",)),
        Subject("offre", "day", ("L'offre doit être remise avant le {v}.",), ("La remise de l'offre est reportée au {v}.",), ("offre",)),
        Subject("grange", "small", ("La grange peut accueillir au plus {v} invités.",), (), ("grange",)),
        Subject("bateau", "name", ("Notre bateau s'appelle {v}.",), ("On a rebaptisé le bateau, il s'appelle maintenant {v}.",), ("bateau",)),
        Subject("gardien", "person", ("Le gardien de la maison est {v}.",), ("Le nouveau gardien de la maison est désormais {v}.",), ("gardien",)),
        Subject("vol", "code", ("Mon vol porte le numéro {v}.",), ("J'ai changé, mon vol est maintenant le {v}.",), ("vol",)),
        Subject("factures", "mail", ("Les factures vont à {v}.",), ("Envoyez désormais les factures à {v}.",), ("factures",)),
        Subject("port-test", "port", ("Le serveur de test écoute sur le port {v}.",), (), ("test",)),
        Subject("port-prod", "port", ("Le serveur de production écoute sur le port {v}.",), (), ("production",)),
        Subject("permis", "code", ("Le permis {v} de la mairie est toujours en attente.",), (), ("permis",)),
        Subject("branche", "branch", ("On travaille en ce moment sur la branche {v}.",), ("On est passés à la branche {v} maintenant.",), ()),
        Subject("controle", "code", ("La prochaine étape est de réparer le contrôle {v}.",), (), ("contrôle",)),
        Subject("resumes", "tone", ("Je préfère des réponses {v}.",), ("J'aimerais plutôt des réponses {v} désormais.",), ("réponses",)),
        Subject("lettre", "weekday", ("Je veux recevoir la lettre chaque {v}.",), ("Je préfère maintenant recevoir la lettre le {v}.",), ("lettre",)),
    ),
    (
        "Cet après-midi on est restés longtemps dans le jardin à parler du bon vieux temps.",
        "Le temps était changeant, du soleil le matin puis des nuages et beaucoup de vent.",
        "Ma sœur a raconté une histoire drôle à propos de son chien et du facteur.",
        "Les voisins avaient de la visite, il y a eu un peu de musique et beaucoup de rires.",
        "On a regardé quelques catalogues mais rien ne nous a vraiment convaincus.",
        "Le train était plein, mais la vue sur le lac valait quand même le voyage.",
    "Trois des chaises sont bancales, alors on s'est assis sur les marches de l'escalier.",
    "L'ascenseur devrait bientôt remarcher, mais personne n'y croit vraiment.",
    ),
    ("D'accord, merci pour l'information. Je continue.", "Bien compris, merci.", "Très bien, c'est noté."),
    (("port-test", "port-prod"),),
)
_CHINESE = Bank(
    "zh",
    (
        Subject("警报", "pin", ("千万不要把警报密码{v}告诉访客。", "禁止把警报密码{v}告诉访客。"), ("警报密码改为{v}了，仍然不能告诉访客。",), ("警报",)),
        Subject("阀门", "code", ("水泵运行时禁止打开阀门{v}。",), (), ("阀门",)),
        Subject("病历", "mail", ("绝不能把病历发送到{v}。",), (), ("病历",)),
        Subject("厨房", "yuan", ("厨房的预算最多{v}。", "装修厨房的花费不超过{v}。"), ("厨房的预算提高到{v}。",), ("厨房",)),
        Subject("作文", "number", ("作文最多写{v}个字。",), ("更正：作文上限改为{v}个字。",), ("作文",)),
        Subject("投标", "day", ("投标截止日期是{v}。",), ("投标截止日期推迟到{v}。",), ("投标",)),
        Subject("谷仓", "small", ("谷仓最多容纳{v}位客人。",), (), ("谷仓",)),
        Subject("管理员", "person", ("房子的管理员是{v}。",), ("房子的管理员现在换成{v}了。",), ("管理员",)),
        Subject("航班", "code", ("我的航班号是{v}。",), ("航空公司改签了，我的航班号现在是{v}。",), ("航班",)),
        Subject("发票", "mail", ("发票请发送到{v}。",), ("从现在起发票改为发送到{v}。",), ("发票",)),
        Subject("测试端口", "port", ("测试服务器的端口是{v}。",), (), ("测试",)),
        Subject("生产端口", "port", ("生产服务器的端口是{v}。",), (), ("生产",)),
        Subject("许可", "code", ("我们还在等待市政府的许可证{v}。",), (), ("许可证",)),
        Subject("分支", "branch", ("目前正在分支 {v} 上工作。",), ("现在改成在分支 {v} 上工作。",), ("分支",)),
        Subject("检查", "code", ("下一步是修复导入检查{v}。",), (), ("导入",)),
        Subject("总结", "tone", ("我喜欢{v}的总结。",), ("我现在更喜欢{v}的总结。",), ("总结",)),
        Subject("简报", "weekday", ("我希望每{v}收到简报。",), ("简报改到{v}发给我吧。",), ("简报",)),
    ),
    (
        "今天下午我们在花园里坐了很久，聊了许多从前的趣事，大家都笑得很开心。",
        "最近的天气变化很大，早上还很暖和，到了傍晚忽然又刮起了大风。",
        "姐姐讲了一个关于她家小狗和邮递员的故事，听起来真的很有意思。",
        "邻居家来了亲戚，晚上放了一会儿音乐，还有人弹起了吉他，很热闹。",
        "我们翻了几本家具画册，看来看去还是觉得现在的椅子坐着不太舒服。",
        "火车上人很多，不过沿途能看到湖边的风景，也算是不虚此行了。",
    "有三把椅子摇摇晃晃的，我们干脆坐在楼梯上喝茶聊天。",
    "听说电梯很快就能修好，但是大家都不太相信。",
    ),
    ("好的，明白了，我继续往下做。", "收到，谢谢你告诉我。", "好的，已经记下了。"),
    (("测试端口", "生产端口"),),
)

BANKS: Mapping[tuple[str, str], Bank] = {
    ("en", "tuning"): _ENGLISH,
    ("de", "tuning"): _GERMAN,
    ("fr", "tuning"): _FRENCH,
    ("zh", "tuning"): _CHINESE,
}
