"""What a short form does without: openings, politeness, small words, clauses that explain."""

from __future__ import annotations

import regex

__all__ = ["ARTICLES", "ASIDE", "EXPLANATION", "LEAD_IN", "POLITE"]

LEAD_IN = regex.compile(
    r"""(?xi) ^(?:
      (?:(?:a|one|quick|small|short|brief|little|last|another|more|further|final|minor)\s+)*
        (?:update|correction|reminder|note|heads[\s-]up|fyi|ps|p\.s\.|nb|important|attention|thing)
        (?:\s+(?:more|though|for\s+you))? \s*[:,–—-]\s+
    | (?:by\s+the\s+way|btw|also|anyway|so|well|ok|okay|alright|right|great|thanks|hey|hi|
        hello|look|oh|and|but|actually|basically|just\s+so\s+you\s+know|for\s+the\s+record|to\s+be\s+clear|
        for\s+your\s+information|in\s+case\s+it\s+matters|as\s+(?:a\s+reminder|discussed|mentioned|
        agreed|you\s+know)|while\s+I\s+think\s+of\s+it|before\s+I\s+forget|from\s+now\s+on|
        going\s+forward|one\s+more\s+thing|another\s+thing|good\s+news|that\s+said)\s*[,:!–—]\s+
    | (?:please\s+)?(?:note|remember|keep\s+in\s+mind|bear\s+in\s+mind|be\s+aware|
        don't\s+forget)\s+that\s+
    | (?:I\s+(?:think|guess|believe|should\s+mention|should\s+add|forgot\s+to\s+mention)|
        it\s+turns\s+out|you\s+should\s+know|let\s+me\s+add|I'd\s+like\s+to\s+add)\s+(?:that\s+)?
    | (?:please|kindly|and|but|so|also|und|aber|auch|et|mais|aussi|y|pero|и|но)\s+(?=\p{L})
    | (?:übrigens|außerdem|also|nun|gut|ach|achtung|wichtig|hinweis|zur\s+info|noch\s+etwas|
        nebenbei|
        kurze?\s+(?:info|anmerkung|notiz|korrektur|ergänzung)|korrektur|ab\s+(?:jetzt|sofort)|von\s+nun\s+an)
        (?:\s*[,:!–—]\s+|\s+(?=gilt\b))
    | bitte\s+(?:beachte|denk\w*\s+daran)\w*,?\s+(?:dass\s+)? | bitte\s+(?!nicht|nie|kein)
    | (?:au\s+fait|d'ailleurs|aussi|alors|bon|attention|important|à\s+noter|pour\s+info\w*|
        petite\s+\w+|correction|désormais|dorénavant|à\s+partir\s+de\s+maintenant)\s*[,:!–—]\s+
    | (?:merci\s+de|s'il\s+(?:te|vous)\s+plaît,?)\s+
    | (?:por\s+cierto|además|bueno|atención|importante|ojo|nota|
        una\s+(?:cosa|nota|corrección)(?:\s+más)?|
        corrección|a\s+partir\s+de\s+ahora)\s*[,:!–—]\s+
    | (?:por\s+favor,?|recuerda\s+que|ten\s+en\s+cuenta\s+que)\s+
    | (?:кстати|напоминаю|важно|внимание|поправка|итак|так|да|ещё\s+одно|
        с\s+этого\s+момента|отныне)\s*[,:!–—]\s+
    | пожалуйста,?\s+
    | (?:顺便(?:说一下|提一下)?|另外|对了|提醒一下|注意|更正|
        补充一下|从现在(?:起|开始))\s*[，,：:]\s*
    | 请(?:注意|记住)?[，,：:]?(?!勿|不)
    | (?:ちなみに|なお|補足|訂正|今後は?|これからは?|注意|あと)\s*[、,：:]\s*
    )"""
)
POLITE = regex.compile(
    r"""(?xi) (?:,?\s+|，)(?:please|thanks(?:\s+a\s+lot)?|thank\s+you|
      if\s+(?:that's\s+ok|you\s+don't\s+mind|possible)|
      okay|ok|bitte|danke|s'il\s+(?:te|vous)\s+plaît|merci|por\s+favor|gracias|пожалуйста|спасибо|
      谢谢|from\s+now\s+on|going\s+forward|from\s+here\s+on|ab\s+jetzt|ab\s+sofort|désormais|
      dorénavant|a\s+partir\s+de\s+ahora|de\s+ahora\s+en\s+adelante)(?=\s*[.!]?$)"""
)
ASIDE = regex.compile(r"(?:\s+\(|\s*（)[^()（）]{1,120}[)）](?!\w)")
EXPLANATION = regex.compile(
    r"""(?xi) (?: ,?\s+(?:because|so\s+that|in\s+order\s+to|even\s+if|even\s+though|which|
        as\s+we|as\s+it|
        since|otherwise|although|though|for\s+(?:clarity|now|example|instance)|just\s+in\s+case)\b
    | ,\s+(?:so|as|or\s+else)\b | \s+[–—]\s+ | ;\s+
    | ,\s+(?:weil|damit|sodass|so\s+dass|denn|auch\s+wenn|obwohl|da)\b
    | ,?\s+(?:car|parce\s+qu\w*|afin\s+d\w*|même\s+si|puisqu\w*)\b
    | ,?\s+(?:porque|para\s+que|aunque|ya\s+que|puesto\s+que)\b
    | ,\s+(?:потому\s+что|чтобы|даже\s+если|так\s+как|поскольку|хотя)\b
    | [，,]\s*(?:因为|以便|即使|以免|这样|方便) | ；\s* )"""
)
ARTICLES: dict[str, frozenset[str]] = {
    "en": frozenset(
        """the a an is are was were that just really very quite basically actually simply also our
        currently already there i'd""".split()
    ),
    "de": frozenset(
        """der die das den dem des ein eine einen einem einer eines ist sind wird gerade eben halt
        eigentlich einfach auch unser unsere unseren unserem unserer doch ja mal""".split()
    ),
    "fr": frozenset("le la les un une est sont notre nos aussi simplement vraiment".split()),
    "es": frozenset(
        "el la los las un una es son está están nuestro nuestra también simplemente".split()
    ),
    "ru": frozenset("это просто также уже вот наш наша наше наши".split()),
}
