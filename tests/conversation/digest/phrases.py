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
        Subject(
            "alarm",
            "pin",
            (
                "Never hand out the alarm PIN {v} to visitors.",
                "The alarm PIN {v} must not be given to visitors.",
            ),
            ("The alarm PIN was changed, it is {v} now and visitors still must not get it.",),
            ("alarm",),
        ),
        Subject(
            "valve",
            "code",
            (
                "Nobody may open valve {v} while the pump is running.",
                "Do not open valve {v} as long as the pump runs.",
            ),
            (),
            ("valve", "pump"),
        ),
        Subject(
            "patients",
            "mail",
            (
                "Under no circumstances forward patient files to {v}.",
                "Patient files must never be forwarded to {v}.",
            ),
            (),
            ("patient files",),
        ),
        Subject(
            "backups",
            "person",
            (
                "Always ask {v} before you delete any backups.",
                "Backups must not be deleted without asking {v}.",
            ),
            ("From now on it is {v} who has to be asked before backups get deleted.",),
            ("backups",),
        ),
        Subject(
            "smoke",
            "pin",
            ("If the smoke detector goes off, evacuate first and then call {v}.",),
            (),
            ("evacuate", "smoke detector"),
        ),
        Subject(
            "kitchen",
            "money",
            (
                "We can spend at most {v} on the kitchen.",
                "The kitchen must not cost more than {v}.",
            ),
            (
                "I talked to the bank, so the maximum for the kitchen is {v} now.",
                "Change of plan: we raise what we can spend on the kitchen to {v}.",
            ),
            ("kitchen",),
        ),
        Subject(
            "essay",
            "number",
            ("The essay must stay under {v} words.", "No more than {v} words for the essay."),
            ("Correction: the essay may have up to {v} words.",),
            ("essay",),
        ),
        Subject(
            "tender",
            "day",
            (
                "The tender has to be handed in by {v}.",
                "We need to hand in the tender no later than {v}.",
            ),
            ("They pushed back the tender, it is due on {v} instead.",),
            ("tender",),
        ),
        Subject(
            "barn",
            "small",
            ("At most {v} guests fit into the barn.", "The barn holds a maximum of {v} guests."),
            (),
            ("barn",),
        ),
        Subject(
            "boat",
            "name",
            ("Our boat is called {v}.", "The boat goes by the name {v}."),
            ("We renamed the boat, she is called {v} now.",),
            ("boat",),
        ),
        Subject(
            "caretaker",
            "person",
            ("The caretaker of the house is {v}.", "{v} is the caretaker of the house."),
            ("{v} took over as caretaker of the house.",),
            ("caretaker",),
        ),
        Subject(
            "flight",
            "code",
            ("My flight is {v}.", "I am booked on flight {v}."),
            ("The airline moved me, my flight is {v} instead.",),
            ("flight",),
        ),
        Subject(
            "invoices",
            "mail",
            ("Invoices go to {v}.", "The address for invoices is {v}."),
            ("Please send invoices to {v} from now on.",),
            ("invoices",),
        ),
        Subject(
            "test-port", "port", ("The test server listens on port {v}.",), (), ("test server",)
        ),
        Subject(
            "live-port",
            "port",
            ("The production server listens on port {v}.",),
            (),
            ("production server",),
        ),
        Subject(
            "permit",
            "code",
            (
                "We are still waiting for permit {v} from the city.",
                "Permit {v} from the city is still pending.",
            ),
            (),
            ("permit",),
        ),
        Subject(
            "work-branch",
            "branch",
            (
                "I am working on {v} right now, nothing is merged yet.",
                "Current work happens on {v} and is not merged yet.",
            ),
            ("We switched our work to {v}, still not merged.",),
            ("merged",),
        ),
        Subject(
            "failing",
            "code",
            (
                "The importer check {v} fails and has to be fixed next.",
                "Next we need to fix the importer check {v}, it fails.",
            ),
            (),
            ("importer",),
        ),
        Subject(
            "summaries",
            "tone",
            ("I like {v} summaries.", "I prefer my summaries {v}."),
            ("I would rather have {v} summaries from now on.",),
            ("summaries",),
        ),
        Subject(
            "digest-day",
            "weekday",
            (
                "I want the newsletter draft every {v}.",
                "Send me the newsletter draft on {v}, please.",
            ),
            ("Let's move the newsletter draft to {v}.",),
            ("newsletter",),
        ),
        Subject(
            "editor", "name", ("My favourite font is {v}, use it in the slides.",), (), ("font",)
        ),
        Subject(
            "north-budget",
            "money",
            ("The roof of the north wing may cost up to {v}.",),
            (),
            ("north wing",),
        ),
        Subject(
            "south-budget",
            "money",
            ("The roof of the south wing may cost up to {v}.",),
            (),
            ("south wing",),
        ),
        Subject(
            "compiler",
            "version",
            ("We only support compiler version {v}.", "The compiler must be version {v}."),
            ("The compiler must be version {v} instead.",),
            ("compiler",),
        ),
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
        Subject(
            "alarm",
            "pin",
            (
                "Gib den Alarmcode {v} niemals an Besucher weiter.",
                "Der Alarmcode {v} darf nicht an Besucher gehen.",
            ),
            ("Der Alarmcode wurde geändert, er lautet jetzt {v} und bleibt geheim.",),
            ("alarmcode",),
        ),
        Subject(
            "ventil",
            "code",
            (
                "Niemand darf Ventil {v} öffnen, solange die Pumpe läuft.",
                "Ventil {v} darf bei laufender Pumpe nicht geöffnet werden.",
            ),
            (),
            ("ventil",),
        ),
        Subject(
            "akten",
            "mail",
            ("Patientenakten dürfen auf keinen Fall an {v} gehen.",),
            (),
            ("patientenakten",),
        ),
        Subject(
            "sicherung",
            "person",
            (
                "Frag immer {v}, bevor du Sicherungen löschst.",
                "Sicherungen dürfen nicht ohne {v} gelöscht werden.",
            ),
            (),
            ("sicherungen",),
        ),
        Subject(
            "kueche",
            "euros",
            (
                "Die Küche darf höchstens {v} kosten.",
                "Für die Küche können wir maximal {v} ausgeben.",
            ),
            (
                "Neue Obergrenze für die Küche: jetzt sind es {v}.",
                "Die Küche darf jetzt doch bis zu {v} kosten.",
            ),
            ("küche",),
        ),
        Subject(
            "aufsatz",
            "number",
            ("Der Aufsatz soll höchstens {v} Wörter haben.",),
            ("Korrektur: der Aufsatz darf maximal {v} Wörter haben.",),
            ("aufsatz",),
        ),
        Subject(
            "angebot",
            "day",
            (
                "Das Angebot muss bis {v} abgegeben werden.",
                "Die Frist für das Angebot ist der {v}.",
            ),
            ("Die Frist für das Angebot wurde auf den {v} verschoben.",),
            ("angebot",),
        ),
        Subject(
            "scheune", "small", ("In die Scheune passen maximal {v} Gäste.",), (), ("scheune",)
        ),
        Subject("boot", "name", ("Unser Boot heißt {v}.",), (), ("boot",)),
        Subject(
            "hausmeister",
            "person",
            ("Der Hausmeister ist {v}.", "{v} ist der Hausmeister."),
            ("Der neue Hausmeister ist jetzt {v}.",),
            ("hausmeister",),
        ),
        Subject(
            "flug",
            "code",
            ("Mein Flug hat die Nummer {v}.", "Ich bin auf Flug {v} gebucht."),
            ("Ich wurde umgebucht, mein Flug ist jetzt {v}.",),
            ("flug",),
        ),
        Subject(
            "rechnung",
            "mail",
            ("Rechnungen gehen an {v}.",),
            ("Rechnungen bitte ab sofort an {v} schicken.",),
            ("rechnungen",),
        ),
        Subject("testport", "port", ("Der Testserver läuft auf Port {v}.",), (), ("testserver",)),
        Subject(
            "prodport",
            "port",
            ("Der Produktionsserver läuft auf Port {v}.",),
            (),
            ("produktionsserver",),
        ),
        Subject(
            "genehmigung",
            "code",
            (
                "Die Genehmigung {v} von der Stadt steht noch aus.",
                "Wir warten noch auf die Genehmigung {v} der Stadt.",
            ),
            (),
            ("genehmigung",),
        ),
        Subject(
            "zweig",
            "branch",
            ("Wir arbeiten gerade auf {v}, noch nichts ist zusammengeführt.",),
            ("Wir sind mit der Arbeit auf {v} gewechselt.",),
            (),
        ),
        Subject(
            "pruefung",
            "code",
            ("Als Nächstes muss die Prüfung {v} repariert werden.",),
            (),
            ("prüfung",),
        ),
        Subject(
            "zusammenfassung",
            "tone",
            ("Ich mag {v} Zusammenfassungen.", "Ich möchte {v} Zusammenfassungen."),
            ("Ich hätte ab jetzt lieber {v} Zusammenfassungen.",),
            ("zusammenfassungen",),
        ),
        Subject(
            "rundbrief",
            "weekday",
            ("Den Rundbrief möchte ich immer am {v} bekommen.",),
            ("Den Rundbrief hätte ich jetzt lieber am {v}.",),
            ("rundbrief",),
        ),
        Subject(
            "schrift",
            "name",
            ("Meine Lieblingsschrift ist {v}, nimm sie für die Folien.",),
            (),
            ("folien",),
        ),
    ),
    _GERMAN_FILLER,
    _GERMAN_ACKS,
    (("testport", "prodport"),),
)
_FRENCH = Bank(
    "fr",
    (
        Subject(
            "alarme",
            "pin",
            (
                "Ne donne jamais le code d'alarme {v} aux visiteurs.",
                "Le code d'alarme {v} ne doit pas être donné aux visiteurs.",
            ),
            ("Le code d'alarme a changé, c'est désormais {v}.",),
            ("alarme",),
        ),
        Subject(
            "vanne",
            "code",
            ("Personne ne doit jamais ouvrir la vanne {v} quand la pompe tourne.",),
            (),
            ("vanne",),
        ),
        Subject(
            "dossiers",
            "mail",
            ("Il est interdit d'envoyer les dossiers des patients à {v}.",),
            (),
            ("dossiers",),
        ),
        Subject(
            "sauvegardes",
            "person",
            ("Il faut toujours demander à {v} avant de supprimer les sauvegardes.",),
            (),
            ("sauvegardes",),
        ),
        Subject(
            "cuisine",
            "money",
            (
                "La cuisine doit coûter au maximum {v}.",
                "On peut dépenser {v} au plus pour la cuisine.",
            ),
            ("Finalement le maximum pour la cuisine passe à {v}.",),
            ("cuisine",),
        ),
        Subject(
            "dissertation",
            "number",
            ("La dissertation doit faire au plus {v} mots.",),
            ("Correction : la dissertation peut faire jusqu'à {v} mots.",),
            ("dissertation",),
        ),
        Subject(
            "offre",
            "day",
            ("L'offre doit être remise avant le {v}.",),
            ("La remise de l'offre est reportée au {v}.",),
            ("offre",),
        ),
        Subject(
            "grange", "small", ("La grange peut accueillir au plus {v} invités.",), (), ("grange",)
        ),
        Subject(
            "bateau",
            "name",
            ("Notre bateau s'appelle {v}.",),
            ("On a rebaptisé le bateau, il s'appelle maintenant {v}.",),
            ("bateau",),
        ),
        Subject(
            "gardien",
            "person",
            ("Le gardien de la maison est {v}.",),
            ("Le nouveau gardien de la maison est désormais {v}.",),
            ("gardien",),
        ),
        Subject(
            "vol",
            "code",
            ("Mon vol porte le numéro {v}.",),
            ("J'ai changé, mon vol est maintenant le {v}.",),
            ("vol",),
        ),
        Subject(
            "factures",
            "mail",
            ("Les factures vont à {v}.",),
            ("Envoyez désormais les factures à {v}.",),
            ("factures",),
        ),
        Subject(
            "port-test", "port", ("Le serveur de test écoute sur le port {v}.",), (), ("test",)
        ),
        Subject(
            "port-prod",
            "port",
            ("Le serveur de production écoute sur le port {v}.",),
            (),
            ("production",),
        ),
        Subject(
            "permis",
            "code",
            ("Le permis {v} de la mairie est toujours en attente.",),
            (),
            ("permis",),
        ),
        Subject(
            "branche",
            "branch",
            ("On travaille en ce moment sur la branche {v}.",),
            ("On est passés à la branche {v} maintenant.",),
            (),
        ),
        Subject(
            "controle",
            "code",
            ("La prochaine étape est de réparer le contrôle {v}.",),
            (),
            ("contrôle",),
        ),
        Subject(
            "resumes",
            "tone",
            ("Je préfère des réponses {v}.",),
            ("J'aimerais plutôt des réponses {v} désormais.",),
            ("réponses",),
        ),
        Subject(
            "lettre",
            "weekday",
            ("Je veux recevoir la lettre chaque {v}.",),
            ("Je préfère maintenant recevoir la lettre le {v}.",),
            ("lettre",),
        ),
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
    (
        "D'accord, merci pour l'information. Je continue.",
        "Bien compris, merci.",
        "Très bien, c'est noté.",
    ),
    (("port-test", "port-prod"),),
)
_CHINESE = Bank(
    "zh",
    (
        Subject(
            "警报",
            "pin",
            ("千万不要把警报密码{v}告诉访客。", "禁止把警报密码{v}告诉访客。"),
            ("警报密码改为{v}了，仍然不能告诉访客。",),
            ("警报",),
        ),
        Subject("阀门", "code", ("水泵运行时禁止打开阀门{v}。",), (), ("阀门",)),
        Subject("病历", "mail", ("绝不能把病历发送到{v}。",), (), ("病历",)),
        Subject(
            "厨房",
            "yuan",
            ("厨房的预算最多{v}。", "装修厨房的花费不超过{v}。"),
            ("厨房的预算提高到{v}。",),
            ("厨房",),
        ),
        Subject(
            "作文", "number", ("作文最多写{v}个字。",), ("更正：作文上限改为{v}个字。",), ("作文",)
        ),
        Subject("投标", "day", ("投标截止日期是{v}。",), ("投标截止日期推迟到{v}。",), ("投标",)),
        Subject("谷仓", "small", ("谷仓最多容纳{v}位客人。",), (), ("谷仓",)),
        Subject(
            "管理员",
            "person",
            ("房子的管理员是{v}。",),
            ("房子的管理员现在换成{v}了。",),
            ("管理员",),
        ),
        Subject(
            "航班",
            "code",
            ("我的航班号是{v}。",),
            ("航空公司改签了，我的航班号现在是{v}。",),
            ("航班",),
        ),
        Subject(
            "发票", "mail", ("发票请发送到{v}。",), ("从现在起发票改为发送到{v}。",), ("发票",)
        ),
        Subject("测试端口", "port", ("测试服务器的端口是{v}。",), (), ("测试",)),
        Subject("生产端口", "port", ("生产服务器的端口是{v}。",), (), ("生产",)),
        Subject("许可", "code", ("我们还在等待市政府的许可证{v}。",), (), ("许可证",)),
        Subject(
            "分支",
            "branch",
            ("目前正在分支 {v} 上工作。",),
            ("现在改成在分支 {v} 上工作。",),
            ("分支",),
        ),
        Subject("检查", "code", ("下一步是修复导入检查{v}。",), (), ("导入",)),
        Subject("总结", "tone", ("我喜欢{v}的总结。",), ("我现在更喜欢{v}的总结。",), ("总结",)),
        Subject(
            "简报", "weekday", ("我希望每{v}收到简报。",), ("简报改到{v}发给我吧。",), ("简报",)
        ),
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

_ENGLISH_HELD_OUT = Bank(
    "en",
    (
        Subject(
            "darkroom",
            "clock",
            (
                "Please keep the darkroom door shut until {v}, opening it ruins the film.",
                "The darkroom door has to stay closed until {v}.",
            ),
            (),
            ("darkroom",),
        ),
        Subject(
            "chlorine",
            "code",
            (
                "Drum {v} must never be stored next to the chlorine.",
                "It is forbidden to store drum {v} near the chlorine.",
            ),
            (),
            ("chlorine",),
        ),
        Subject(
            "press",
            "mail",
            ("Don't talk to the press, everything goes through {v}.",),
            (),
            ("press",),
        ),
        Subject(
            "crane",
            "person",
            ("The crane may only be operated by {v}.", "Only {v} is allowed to operate the crane."),
            ("The crane may be operated by {v} instead, nobody else.",),
            ("crane",),
        ),
        Subject(
            "wiring",
            "code",
            ("You must not touch circuit {v} without switching off the mains.",),
            (),
            ("circuit", "mains"),
        ),
        Subject(
            "catering",
            "money",
            ("Catering has a ceiling of {v}.", "Don't go above {v} for catering."),
            (
                "Actually, catering may go up to {v}.",
                "The sponsors agreed, so the catering ceiling has been raised to {v}.",
            ),
            ("catering",),
        ),
        Subject(
            "speech",
            "small",
            (
                "My speech should last {v} minutes at most.",
                "The speech must be no longer than {v} minutes.",
            ),
            ("Scratch that, the speech can be up to {v} minutes.",),
            ("speech",),
        ),
        Subject(
            "visa",
            "day",
            (
                "The visa application is due by {v}.",
                "I have to file the visa application before {v}.",
            ),
            ("The consulate rescheduled, my visa application is now due by {v}.",),
            ("visa",),
        ),
        Subject(
            "elevator",
            "number",
            ("The goods lift carries a maximum of {v} kilos.",),
            (),
            ("goods lift",),
        ),
        Subject("cat", "name", ("My cat's name is {v}.", "My cat is named {v}."), (), ("cat",)),
        Subject(
            "landlord",
            "person",
            ("Our landlord is {v}.", "{v} is our landlord."),
            ("The flat was sold, our landlord is {v} now.",),
            ("landlord",),
        ),
        Subject(
            "locker",
            "code",
            ("My things are in locker {v}.", "I use locker {v} at the gym."),
            ("I had to move my things to locker {v}.",),
            ("locker",),
        ),
        Subject(
            "choir",
            "url",
            ("The choir's sheet music is at {v}.", "You find the choir's sheet music under {v}."),
            ("The choir's sheet music has moved to {v}.",),
            ("choir",),
        ),
        Subject(
            "left-pump", "percent", ("The left pump runs at {v} of its power.",), (), ("left pump",)
        ),
        Subject(
            "right-pump",
            "percent",
            ("The right pump runs at {v} of its power.",),
            (),
            ("right pump",),
        ),
        Subject(
            "grant",
            "code",
            (
                "The grant application {v} has not been answered yet.",
                "We have no answer to grant application {v} so far, it is pending.",
            ),
            (),
            ("grant",),
        ),
        Subject(
            "translation",
            "small",
            (
                "I am translating page {v} at present.",
                "Currently I am on page {v} of the translation.",
            ),
            ("I am on page {v} of the translation now.",),
            ("page",),
        ),
        Subject(
            "roadworks",
            "code",
            (
                "The next step is to survey section {v} of the road.",
                "Survey section {v} of the road comes next.",
            ),
            (),
            ("section",),
        ),
        Subject(
            "letters",
            "tone",
            ("I would like my letters {v}.", "I want {v} letters."),
            ("Please write {v} letters going forward.",),
            ("letters",),
        ),
        Subject(
            "gym",
            "weekday",
            ("I like to train on {v}.", "I prefer to train on {v}."),
            ("I'd rather train on {v} from now on.",),
            ("train",),
        ),
        Subject(
            "tea", "name", ("I want the coffee from {v}, not from anywhere else.",), (), ("coffee",)
        ),
        Subject("spring-term", "day", ("The spring term begins on {v}.",), (), ("spring term",)),
        Subject("autumn-term", "day", ("The autumn term begins on {v}.",), (), ("autumn term",)),
        Subject(
            "firmware",
            "version",
            ("The scanner needs firmware {v}.", "Firmware {v} is required for the scanner."),
            ("They updated the scanner, it needs firmware {v} now.",),
            ("firmware",),
        ),
    ),
    (
        "The ferry was late again, so we sat on the pier and watched the gulls for a while.",
        "My uncle insists that tomatoes tasted better when he was young, and maybe they did.",
        "There was a queue in front of the museum, mostly families with tired children.",
        "I tried that new recipe with lentils, it turned out a bit bland but filling.",
        "The band played two songs twice because the audience would not let them leave.",
        "Half of the street lamps are out, which makes the way home feel rather adventurous.",
        "She always finds the best postcards, even in places that hardly sell any.",
        "We should have brought umbrellas, the last ten minutes of the walk were very wet.",
        "The cinema only had the front row left, so everybody went home with a stiff neck.",
        "It is odd how quickly the shops change there, the florist is a phone store again.",
    ),
    (
        "Thank you, that is good to know. What else can I do for you?",
        "All right, I have made a note of it.",
        "Sure thing, moving on.",
        "Great, let me know if there is more.",
    ),
    (("left-pump", "right-pump"), ("spring-term", "autumn-term")),
)
_GERMAN_HELD_OUT = Bank(
    "de",
    (
        Subject(
            "dunkelkammer",
            "clock",
            ("Die Tür der Dunkelkammer muss bis {v} zu bleiben.",),
            (),
            ("dunkelkammer",),
        ),
        Subject(
            "fass",
            "code",
            (
                "Fass {v} darf nie neben dem Chlor stehen.",
                "Es ist verboten, Fass {v} neben das Chlor zu stellen.",
            ),
            (),
            ("chlor",),
        ),
        Subject(
            "kran",
            "person",
            ("Den Kran darf nur {v} bedienen.", "Nur {v} darf den Kran bedienen."),
            ("Den Kran darf ab sofort nur noch {v} bedienen.",),
            ("kran",),
        ),
        Subject(
            "essen",
            "euros",
            (
                "Für das Essen sind maximal {v} vorgesehen.",
                "Das Essen darf nicht mehr als {v} kosten.",
            ),
            ("Die Sponsoren haben zugesagt, fürs Essen sind jetzt maximal {v} drin.",),
            ("essen",),
        ),
        Subject(
            "rede",
            "small",
            ("Meine Rede soll höchstens {v} Minuten dauern.",),
            ("Doch anders: die Rede darf bis zu {v} Minuten dauern.",),
            ("rede",),
        ),
        Subject(
            "visum",
            "day",
            (
                "Der Antrag für das Visum muss bis zum {v} vorliegen.",
                "Die Frist für den Visumsantrag endet am {v}.",
            ),
            (),
            ("vis",),
        ),
        Subject(
            "aufzug",
            "number",
            ("Der Lastenaufzug trägt höchstens {v} Kilo.",),
            (),
            ("lastenaufzug",),
        ),
        Subject("katze", "name", ("Meine Katze heißt {v}.",), (), ("katze",)),
        Subject(
            "vermieter",
            "person",
            ("Unser Vermieter ist {v}.", "{v} ist unser Vermieter."),
            ("Die Wohnung wurde verkauft, unser Vermieter ist jetzt {v}.",),
            ("vermieter",),
        ),
        Subject(
            "spind",
            "code",
            ("Meine Sachen sind in Spind {v}.", "Ich benutze Spind {v} im Studio."),
            ("Ich musste umziehen, meine Sachen sind nun in Spind {v}.",),
            ("spind",),
        ),
        Subject(
            "noten",
            "url",
            ("Die Noten vom Chor liegen unter {v}.",),
            ("Die Noten vom Chor liegen neuerdings unter {v}, das wurde geändert.",),
            ("noten",),
        ),
        Subject(
            "linke", "percent", ("Die linke Pumpe läuft mit {v} Leistung.",), (), ("linke pumpe",)
        ),
        Subject(
            "rechte",
            "percent",
            ("Die rechte Pumpe läuft mit {v} Leistung.",),
            (),
            ("rechte pumpe",),
        ),
        Subject(
            "antrag",
            "code",
            (
                "Der Förderantrag {v} ist noch offen.",
                "Auf den Förderantrag {v} gibt es noch keine Antwort.",
            ),
            (),
            ("förderantrag",),
        ),
        Subject(
            "uebersetzung",
            "small",
            ("Ich bin bei der Übersetzung gerade auf Seite {v}.",),
            ("Bei der Übersetzung bin ich jetzt auf Seite {v}.",),
            ("seite",),
        ),
        Subject(
            "strasse",
            "code",
            ("Der nächste Schritt ist die Vermessung von Abschnitt {v}.",),
            (),
            ("abschnitt",),
        ),
        Subject(
            "briefe",
            "tone",
            ("Ich möchte {v} Briefe.", "Mir sind {v} Briefe lieber."),
            ("Künftig möchte ich {v} Briefe.",),
            ("briefe",),
        ),
        Subject(
            "training",
            "weekday",
            ("Ich trainiere am liebsten am {v}.",),
            ("Ab jetzt trainiere ich lieber am {v}.",),
            ("trainiere",),
        ),
        Subject(
            "firmware",
            "version",
            ("Der Scanner braucht die Firmware {v}.",),
            ("Der Scanner braucht jetzt die Firmware {v}.",),
            ("firmware",),
        ),
    ),
    (
        "Die Fähre kam wieder zu spät, also saßen wir am Steg und schauten den Möwen zu.",
        "Mein Onkel findet, dass Tomaten früher besser geschmeckt haben, vielleicht stimmt das.",
        "Vor dem Museum war eine lange Schlange, meistens Familien mit müden Kindern.",
        "Das neue Rezept mit Linsen war ein wenig fad, aber immerhin sättigend.",
        "Die Hälfte der Laternen ist aus, der Heimweg wird dadurch recht abenteuerlich.",
        "Im Kino gab es nur noch Plätze in der ersten Reihe, alle hatten danach Nackenschmerzen.",
        "Seltsam, wie schnell die Läden dort wechseln, der Blumenladen ist schon wieder weg.",
    ),
    (
        "Danke, gut zu wissen. Kann ich sonst noch helfen?",
        "In Ordnung, ist vermerkt.",
        "Prima, weiter geht's.",
    ),
    (("linke", "rechte"),),
)
_SPANISH_HELD_OUT = Bank(
    "es",
    (
        Subject(
            "bidon",
            "code",
            (
                "El bidón {v} nunca debe estar al lado del cloro.",
                "Está prohibido guardar el bidón {v} junto al cloro.",
            ),
            (),
            ("cloro",),
        ),
        Subject(
            "grua",
            "person",
            ("La grúa solo la puede manejar {v}.",),
            ("A partir de ahora la grúa solo la puede manejar {v}.",),
            ("grúa",),
        ),
        Subject(
            "comida",
            "money",
            ("La comida debe costar como máximo {v}.", "El límite para la comida es de {v}."),
            ("Los patrocinadores aceptaron, el límite para la comida sube a {v}.",),
            ("comida",),
        ),
        Subject(
            "discurso",
            "small",
            ("El discurso debe durar como máximo {v} minutos.",),
            ("Corrección: el discurso puede durar hasta {v} minutos.",),
            ("discurso",),
        ),
        Subject(
            "montacargas",
            "number",
            ("El montacargas aguanta como máximo {v} kilos.",),
            (),
            ("montacargas",),
        ),
        Subject("gata", "name", ("Mi gata se llama {v}.",), (), ("gata",)),
        Subject(
            "casero",
            "person",
            ("Nuestro casero es {v}.",),
            ("Vendieron el piso, nuestro casero es ahora {v}.",),
            ("casero",),
        ),
        Subject(
            "taquilla",
            "code",
            ("Mis cosas están en la taquilla {v}.",),
            ("Ahora mis cosas están en la taquilla {v}.",),
            ("taquilla",),
        ),
        Subject(
            "partituras",
            "url",
            ("Las partituras del coro están en {v}.",),
            ("Las partituras del coro han cambiado de sitio, ahora están en {v}.",),
            ("partituras",),
        ),
        Subject(
            "izquierda",
            "percent",
            ("La bomba izquierda funciona al {v}.",),
            (),
            ("bomba izquierda",),
        ),
        Subject(
            "derecha", "percent", ("La bomba derecha funciona al {v}.",), (), ("bomba derecha",)
        ),
        Subject("beca", "code", ("La solicitud de beca {v} sigue pendiente.",), (), ("beca",)),
        Subject(
            "traduccion",
            "small",
            ("En la traducción voy por la página {v}.",),
            ("En la traducción voy ahora por la página {v}.",),
            ("página",),
        ),
        Subject("tramo", "code", ("El siguiente paso es medir el tramo {v}.",), (), ("tramo",)),
        Subject(
            "entreno",
            "weekday",
            ("Prefiero entrenar el {v}.",),
            ("Ahora prefiero entrenar el {v}.",),
            ("entrenar",),
        ),
        Subject(
            "firmware",
            "version",
            ("El escáner necesita el firmware {v}.",),
            ("El escáner necesita ahora el firmware {v}.",),
            ("firmware",),
        ),
        Subject(
            "archivo",
            "mail",
            ("No se puede enviar el archivo de pacientes a {v}.",),
            (),
            ("pacientes",),
        ),
    ),
    (
        "El ferry volvió a llegar tarde, así que nos quedamos mirando las gaviotas un rato.",
        "Mi tío dice que los tomates sabían mejor cuando era joven, y quizá tenga razón.",
        "Delante del museo había una cola enorme, sobre todo familias con niños cansados.",
        "Probé la receta de lentejas, quedó algo sosa pero llenaba bastante.",
        "La mitad de las farolas no funciona y volver a casa resulta toda una aventura.",
        "En el cine solo quedaba la primera fila, así que todos salimos con dolor de cuello.",
    ),
    (
        "Gracias, es bueno saberlo. ¿Necesitas algo más?",
        "De acuerdo, anotado.",
        "Perfecto, sigamos.",
    ),
    (("izquierda", "derecha"),),
)
_CHINESE_HELD_OUT = Bank(
    "zh",
    (
        Subject(
            "油桶",
            "code",
            ("油桶{v}严禁放在氯气旁边。", "不得把油桶{v}放在氯气旁边。"),
            (),
            ("油桶",),
        ),
        Subject(
            "起重机",
            "person",
            ("起重机只能由{v}操作。",),
            ("从现在起，起重机只能由{v}操作。",),
            ("起重机",),
        ),
        Subject(
            "餐饮",
            "yuan",
            ("餐饮费用上限是{v}。",),
            ("赞助商同意了，餐饮费用上限调整到{v}。",),
            ("餐饮",),
        ),
        Subject(
            "演讲", "small", ("演讲最多{v}分钟。",), ("更正一下，演讲最多改成{v}分钟。",), ("演讲",)
        ),
        Subject(
            "签证",
            "day",
            ("签证申请必须在{v}之前提交。",),
            ("签证申请的期限变更为{v}。",),
            ("签证",),
        ),
        Subject("货梯", "number", ("货梯最大载重{v}公斤。",), (), ("货梯",)),
        Subject("猫", "name", ("我的小猫叫{v}。",), (), ("猫",)),
        Subject(
            "房东",
            "person",
            ("我们的房东是{v}。",),
            ("房子卖掉了，我们的房东现在是{v}。",),
            ("房东",),
        ),
        Subject(
            "储物柜",
            "code",
            ("我的东西放在储物柜{v}里。",),
            ("我的东西现在放在储物柜{v}里。",),
            ("储物柜",),
        ),
        Subject(
            "乐谱",
            "url",
            ("合唱团的乐谱在 {v} 。",),
            ("合唱团的乐谱换到 {v} 了，这是新的地址。",),
            ("乐谱",),
        ),
        Subject("左泵", "percent", ("左边的水泵以{v}的功率运行。",), (), ("左边",)),
        Subject("右泵", "percent", ("右边的水泵以{v}的功率运行。",), (), ("右边",)),
        Subject("补助", "code", ("补助申请{v}还没有答复，仍在等待。",), (), ("补助",)),
        Subject(
            "翻译",
            "small",
            ("翻译工作目前进行到第{v}页。",),
            ("翻译工作现在进行到第{v}页。",),
            ("翻译",),
        ),
        Subject(
            "信件",
            "tone",
            ("我希望信件写得{v}一些。",),
            ("今后我希望信件写得{v}一些。",),
            ("信件",),
        ),
        Subject("训练", "weekday", ("我喜欢在{v}训练。",), ("我现在更喜欢在{v}训练。",), ("训练",)),
    ),
    (
        "渡轮又晚点了，我们就坐在码头上看了好一会儿海鸥，倒也挺惬意的。",
        "叔叔总说他年轻时候的西红柿更好吃，也许他说得有道理吧。",
        "博物馆门口排着长长的队伍，大多是带着孩子的家庭，看起来都有点累。",
        "试着做了那道扁豆的新菜，味道稍微淡了些，不过吃得很饱。",
        "街上有一半的路灯不亮，走夜路回家的感觉像是在探险一样。",
        "电影院只剩下第一排的座位，看完以后大家的脖子都有点酸。",
    ),
    ("谢谢，知道了。还有什么可以帮忙的吗？", "没问题，已经记录。", "好，我们继续吧。"),
    (("左泵", "右泵"),),
)

_ENGLISH_FRESH = Bank(
    "en",
    (
        Subject(
            "lab-door",
            "pin",
            (
                "The keypad of the lab opens with {v}, this is confidential.",
                "Keep the keypad code of the lab, {v}, to yourself.",
            ),
            ("Facilities reprogrammed the keypad of the lab, the new code is {v}.",),
            ("lab",),
        ),
        Subject(
            "lead",
            "code",
            ("Paint batch {v} contains lead and must not get near the playground.",),
            (),
            ("lead", "playground"),
        ),
        Subject(
            "signature",
            "person",
            (
                "Contracts are only valid if {v} signs them.",
                "No contract leaves the house without {v} signing it.",
            ),
            ("Contracts are now signed by {v} instead.",),
            ("contract",),
        ),
        Subject(
            "drone",
            "number",
            (
                "Fly the drone no higher than {v} metres.",
                "The drone may not climb above {v} metres.",
            ),
            ("The permit was extended: the drone may now climb to {v} metres.",),
            ("drone",),
        ),
        Subject(
            "playlist",
            "small",
            ("The playlist should have {v} songs at most.",),
            ("Make that {v} songs for the playlist.",),
            ("songs",),
        ),
        Subject(
            "audit",
            "day",
            ("The audit happens on {v}.", "Auditors come on {v}, it is the date of the audit."),
            ("The audit got postponed to {v}.",),
            ("audit",),
        ),
        Subject(
            "hamster",
            "name",
            ("We named the hamster {v}.", "The hamster's name is {v}."),
            (),
            ("hamster",),
        ),
        Subject(
            "coach",
            "person",
            ("{v} coaches the juniors.", "The juniors are coached by {v}."),
            ("From this season on the juniors are coached by {v}.",),
            ("juniors",),
        ),
        Subject(
            "parcel",
            "code",
            ("The parcel has tracking number {v}.", "Tracking number of the parcel: {v}."),
            (),
            ("parcel",),
        ),
        Subject(
            "recipe",
            "url",
            ("I keep the recipe at {v}.", "The recipe lives at {v}."),
            ("The recipe now lives at {v}.",),
            ("recipe",),
        ),
        Subject("upper-tank", "percent", ("The upper tank is {v} full.",), (), ("upper tank",)),
        Subject("lower-tank", "percent", ("The lower tank is {v} full.",), (), ("lower tank",)),
        Subject(
            "insurance",
            "code",
            (
                "Claim {v} with the insurance is unresolved.",
                "We have not heard back about insurance claim {v}.",
            ),
            (),
            ("claim",),
        ),
        Subject(
            "migration",
            "small",
            ("We have moved {v} of the tables so far.", "So far {v} of the tables are moved."),
            (),
            ("tables",),
        ),
        Subject(
            "rehearsal",
            "clock",
            ("Up next: rehearsal at {v}.", "The next step is the rehearsal at {v}."),
            (),
            ("rehearsal",),
        ),
        Subject(
            "captions",
            "tone",
            ("I enjoy {v} captions most.", "Captions should be {v}, I like that best."),
            ("I changed my mind about captions, make them {v}.",),
            ("captions",),
        ),
        Subject(
            "massage",
            "weekday",
            ("{v} suits me best for the massage.", "I prefer the massage on {v}."),
            ("Let us do the massage on {v} instead.",),
            ("massage",),
        ),
        Subject(
            "server-rack",
            "code",
            ("Rack {v} is where the mail server sits.", "The mail server sits in rack {v}."),
            ("The mail server was moved to rack {v}.",),
            ("mail server",),
        ),
        Subject("anna-desk", "small", ("Anna's desk is number {v}.",), (), ("Anna",)),
        Subject("boris-desk", "small", ("Boris's desk is number {v}.",), (), ("Boris",)),
    ),
    (
        "We drove past the old mill again, somebody has planted sunflowers all around it.",
        "The kids built a fort out of sofa cushions and refused to come out for dinner.",
        "He told us how he once missed three trains in a row because of a crossword.",
        "The new cafe has very loud music but the cinnamon rolls almost make up for it.",
        "I never understood the rules of cricket, although I watched it all afternoon.",
        "They have been painting the bridge since spring and it looks exactly the same.",
        "Maybe we could have taken the scenic route, it only takes a little longer.",
        "Two of my plants died while I was away, the cactus seems to be fine though.",
    ),
    (
        "Thanks, I will keep that in mind!",
        "Understood, I have added that to my notes. Let's go on.",
        "Alright, no problem.",
    ),
    (("upper-tank", "lower-tank"), ("anna-desk", "boris-desk")),
)
_RUSSIAN_FRESH = Bank(
    "ru",
    (
        Subject(
            "сигнализация",
            "pin",
            ("Никогда не сообщай посетителям код сигнализации {v}.",),
            ("Код сигнализации изменился, теперь он {v}.",),
            ("сигнализации",),
        ),
        Subject(
            "клапан",
            "code",
            ("Запрещено открывать клапан {v}, пока работает насос.",),
            (),
            ("клапан",),
        ),
        Subject(
            "кухня",
            "money",
            ("На кухню можно потратить не более {v}.",),
            ("Теперь на кухню можно потратить не более {v}.",),
            ("кухню",),
        ),
        Subject(
            "эссе",
            "number",
            ("Эссе должно быть не длиннее {v} слов.", "В эссе максимум {v} слов."),
            ("Поправка: в эссе максимум {v} слов.",),
            ("эссе",),
        ),
        Subject("сарай", "small", ("В сарай помещается не более {v} гостей.",), (), ("сарай",)),
        Subject(
            "лодка",
            "name",
            ("Наша лодка называется {v}.",),
            ("Мы переименовали лодку, теперь она называется {v}.",),
            ("лодк",),
        ),
        Subject(
            "рейс",
            "code",
            ("Мой рейс {v}.", "Я лечу рейсом {v}."),
            ("Меня перебронировали, теперь мой рейс {v}.",),
            ("рейс",),
        ),
        Subject(
            "счета",
            "mail",
            ("Счета отправляются на {v}.",),
            ("Теперь счета отправляются на {v}.",),
            ("счета",),
        ),
        Subject("тест", "port", ("Тестовый сервер слушает порт {v}.",), (), ("тестовый",)),
        Subject("прод", "port", ("Боевой сервер слушает порт {v}.",), (), ("боевой",)),
        Subject(
            "разрешение",
            "code",
            ("Мы всё ещё ждём разрешение {v} от города.",),
            (),
            ("разрешение",),
        ),
        Subject(
            "ветка",
            "branch",
            ("Сейчас работа идёт в ветке {v}.",),
            ("Теперь работа идёт в ветке {v}.",),
            ("ветке",),
        ),
        Subject("проверка", "code", ("Следующий шаг: починить проверку {v}.",), (), ("проверку",)),
    ),
    (
        "Сегодня мы долго сидели в саду и вспоминали старые добрые времена.",
        "Погода весь день менялась, то солнце, то опять сильный ветер и тучи.",
        "Сестра рассказала смешную историю про свою собаку и почтальона.",
        "Поезд был полон, зато по дороге открывался красивый вид на озеро.",
        "Соседи принимали гостей, немного играла музыка и все много смеялись.",
    ),
    ("Понятно, спасибо. Продолжаю.", "Хорошо, записал.", "Отлично, принято."),
    (("тест", "прод"),),
)
_JAPANESE_FRESH = Bank(
    "ja",
    (
        Subject(
            "警報",
            "pin",
            ("警報の暗証番号{v}は絶対に訪問者に教えないでください。",),
            ("警報の暗証番号は{v}に変更されました。",),
            ("警報",),
        ),
        Subject(
            "バルブ", "code", ("ポンプの運転中はバルブ{v}を開けてはいけません。",), (), ("バルブ",)
        ),
        Subject(
            "作文",
            "number",
            ("作文は最大{v}字です。",),
            ("訂正、作文は最大{v}字です。",),
            ("作文",),
        ),
        Subject(
            "入札",
            "day",
            ("入札の締め切りは{v}です。",),
            ("入札の締め切りは{v}に延期されました。",),
            ("入札",),
        ),
        Subject("納屋", "small", ("納屋に入れる客は最大{v}人です。",), (), ("納屋",)),
        Subject("便", "code", ("私の便は{v}です。",), ("私の便は{v}に変更されました。",), ("便",)),
        Subject(
            "請求書",
            "mail",
            ("請求書は{v}に送ってください。",),
            ("今後、請求書は{v}に送ってください。",),
            ("請求書",),
        ),
        Subject("テスト", "port", ("テストサーバーのポートは{v}です。",), (), ("テスト",)),
        Subject("本番", "port", ("本番サーバーのポートは{v}です。",), (), ("本番",)),
        Subject("許可証", "code", ("市の許可証{v}をまだ待っています。",), (), ("許可証",)),
        Subject("点検", "code", ("次のステップは点検{v}の修理です。",), (), ("点検",)),
    ),
    (
        "今日の午後は庭に座って、昔の話をしながらみんなでたくさん笑いました。",
        "天気は変わりやすくて、朝は暖かかったのに夕方には強い風が吹いていました。",
        "姉が犬と郵便屋さんのおかしな話をしてくれて、とても楽しかったです。",
        "電車はとても混んでいましたが、途中の湖の景色がきれいでした。",
        "隣の家にお客さんが来ていて、少し音楽が聞こえてきました。",
    ),
    ("わかりました、ありがとうございます。", "了解しました。", "承知しました。"),
    (("テスト", "本番"),),
)

BANKS: Mapping[tuple[str, str], Bank] = {
    ("en", "tuning"): _ENGLISH,
    ("de", "tuning"): _GERMAN,
    ("fr", "tuning"): _FRENCH,
    ("zh", "tuning"): _CHINESE,
    ("en", "held_out"): _ENGLISH_HELD_OUT,
    ("de", "held_out"): _GERMAN_HELD_OUT,
    ("es", "held_out"): _SPANISH_HELD_OUT,
    ("zh", "held_out"): _CHINESE_HELD_OUT,
    ("en", "fresh"): _ENGLISH_FRESH,
    ("ru", "fresh"): _RUSSIAN_FRESH,
    ("ja", "fresh"): _JAPANESE_FRESH,
}
