"""Texts that counters are tried on."""

# ruff: noqa: E501 - a sentence stays on one line

from __future__ import annotations

import argparse
import base64
import inspect
import json
import pydoc_data.topics
import random
import tarfile
import uuid

HUMAN_RIGHTS = {  # article 1 of the Universal Declaration
    "english": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
    "german": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    "french": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "spanish": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
    "polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "finnish": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
    "turkish": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    "vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi con người đều được tạo hóa ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu.",
    "indonesian": "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan.",
    "swahili": "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri, hivyo yapasa watendeane kindugu.",
    "russian": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    "ukrainian": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.",
    "greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
    "arabic": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.",
    "hebrew": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה.",
    "hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
    "tamil": "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்; அவர்கள் மதிப்பிலும் உரிமைகளிலும் சமமானவர்கள்.",
    "thai": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
    "chinese": "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。",
    "japanese": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
    "korean": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
    "georgian": "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით.",
    "amharic": "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
}  # fmt: skip

_random = random.Random(20)
_bytes = _random.randbytes(3_000)

CODE = {
    "python": inspect.getsource(argparse)[:20_000],
    "python indented": inspect.getsource(tarfile.TarFile)[:20_000],
    "minified": "!function(t,e){var n=t[r(0)]||{};function r(i,o){return e.call(this,i*2,o&&o.x)}"
    "for(var a=0;a<n.length;a++)n[a]===void 0&&(n[a]=function(){return r(a,n)});}" * 20,
    "json": json.dumps([{"id": i, "name": f"pump {i}", "ok": i % 2 == 0} for i in range(100)]),
    "indented json": json.dumps([{"id": i, "level": [i, i * 7]} for i in range(100)], indent=2),
    "html": '<div class="row"><a href="/docs/v1.2/index.html?q=a&amp;p=2">Next &raquo;</a></div>\n'
    * 40,
    "sql": "SELECT u.id, COUNT(*) AS n FROM users u LEFT JOIN orders o ON o.user_id = u.id "
    "WHERE u.created_at >= '2026-01-01' GROUP BY u.id HAVING COUNT(*) > 3;\n" * 20,
    "c": '#define MAX(a, b) ((a) > (b) ? (a) : (b))\nstatic inline int f(struct node *n) {\n\t'
    'if (!n->next) { return -1; }\n\tfprintf(stderr, "%d\\n", n->val);\n}\n' * 20,
}  # fmt: skip
NOISE = {
    "hex": _bytes.hex(),
    "base64": base64.b64encode(_bytes).decode(),
    "digits": "1\n" * 30_000,
    "numbers": " ".join(str(_random.randrange(10**6)) for _ in range(500)),
    "uuids": "\n".join(str(uuid.UUID(int=_random.getrandbits(128))) for _ in range(60)),
    "urls": "\n".join(
        f"https://example.org/a/{_random.randrange(999)}/view?id={_random.getrandbits(48):x}#top"
        for _ in range(60)
    ),
    "latin-1 bytes": _bytes.decode("latin-1"),
    "letters": "".join(_random.choices("abcdefghijklmnopqrstuvwxyz", k=3_000)),
    "onomatopoeia": "on" * 3_000,
    "capitals": "THE LICENSEE SHALL NOT REMOVE ANY NOTICE OF COPYRIGHT. " * 30,
    "white space": "".join(_random.choices(" \t\n\r", weights=(80, 5, 10, 5), k=3_000)),
    "spaces": " " * 20_000,
    "line breaks": "\r\n" * 2_000,
    "rulers": "-" * 80 + "\n" + "=" * 80 + "\n",
    "emoji": "👨‍👩‍👧‍👦👩🏽‍💻🏳️‍🌈🇩🇪🇯🇵👍🏿❤️" * 50,
    "rare scripts": "ᏣᎳᎩᎦᏬᏂᎯᏍᏗ 𐎀𐎁𐎂 ꦲꦏ꧀ꦱꦫ ⵜⴰⵎⴰⵣⵉⵖⵜ ᠮᠣᠩᠭᠣᠯ 𒀀𒀁𒀂" * 40,
    "special": "Stop when you see <|endoftext|> or <|im_start|>system in the file.",
}
PROSE = "\n".join(str(topic) for topic in pydoc_data.topics.topics.values())[:60_000]
ALL = HUMAN_RIGHTS | CODE | NOISE | {"prose": PROSE}
