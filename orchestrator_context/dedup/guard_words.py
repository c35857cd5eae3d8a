"""Words that turn a statement into another one: negations, numbers, dates, opposites.

All are case-folded. Where two words are opposites of each other, it is enough to know the one that
is used less: a text that has it differs from one that has the other.
"""

from __future__ import annotations

from typing import Final


def folded(words: str) -> frozenset[str]:
    """Return the words of a list between white space, case-folded."""
    return frozenset(words.casefold().split())


NEGATIONS: Final = folded(
    # English
    "no not never none nor neither nobody nothing nowhere cannot without dont doesnt didnt "
    "isnt arent wasnt werent wont cant couldnt shouldnt wouldnt mustnt hasnt havent hadnt "
    "hardly barely "
    # German, Dutch, Danish, Norwegian, Swedish, Icelandic
    "nicht nichts nie niemals niemand nirgends kein keine keinem keinen keiner keines ohne "
    "weder niet niets nooit niemand geen zonder noch ikke aldrig ingen intet uden ikkje "
    "aldri uten inte ej aldrig inga inget utan ekki aldrei "
    # French, Spanish, Portuguese, Italian, Catalan, Romanian
    "ne pas non jamais rien aucun aucune sans ni nunca jamás nada nadie ningún ninguna "
    "ninguno sin tampoco não nem nenhum nenhuma ninguém sem mai niente nulla nessun nessuna "
    "nessuno senza né mai nu fără niciun nicio nici "
    # Polish, Czech, Slovak, Slovene, Croatian, Lithuanian, Latvian
    "nie nigdy nic nikt żaden żadna żadne bez brak není nikdy nikdo žádný žádná žiadny "
    "nikoli niso nije nisu nema nikada niekada nėra nav "
    # Russian, Ukrainian, Bulgarian, Serbian
    "не нет ни никогда ничего никто нельзя без немає ніколи ніхто без няма никога није нема "
    "никада "
    # Finnish, Estonian, Hungarian, Turkish, Greek, Albanian
    "ei eivät eikä emme älä älkää ilman ära pole ilma nem ne nincs soha nélkül sem değil "
    "yok asla hayır hiç δεν δε μη μην όχι ποτέ χωρίς κανένας nuk "
    # Arabic, Persian, Urdu, Hebrew
    "لا ليس ليست لم لن ما غير بدون أبدا ولا ولم ولن نه نیست هرگز بدون نہیں نه לא אין בלי "
    "אינו אינה ללא מעולם "
    # Hindi, Bengali, Tamil, Telugu
    "नहीं न मत ना बिना कभी না নয় নেই ছাড়া இல்லை அல்ல வேண்டாம் కాదు లేదు "
    # Vietnamese, Indonesian, Malay, Filipino, Swahili
    "không chưa chẳng đừng tidak bukan jangan belum tanpa hindi huwag walang hakuna "
    # Korean, alone between spaces
    "안 못"
)

NUMBERS: Final = folded(
    # English; "one" and the articles of other languages are left out: what stands instead is here
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy "
    "eighty ninety hundred thousand million billion trillion dozen half third quarter once "
    "twice thrice double triple first second fourth fifth sixth seventh eighth ninth tenth "
    "ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx "
    # German, Dutch
    "null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig "
    "fünfzig hundert tausend millionen milliarde milliarden halb doppelt zweimal dreimal "
    "erste zweite dritte twee drie vijf zes zeven negen tien twaalf twintig honderd duizend "
    # French
    "zéro deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze vingt "
    "trente quarante cinquante soixante cent mille milliard moitié double premier deuxième "
    "troisième "
    # Spanish, Portuguese, Italian
    "cero dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta "
    "cuarenta cincuenta cien ciento mil millón millones mitad doble primero segundo tercero "
    "dois duas três quatro sete oito nove dez onze doze vinte trinta cem milhão milhões "
    "metade dobro due tre quattro cinque sei sette otto dieci dodici venti trenta cento "
    "mila milione metà doppio "
    # Russian, Ukrainian
    "ноль два две три четыре пять шесть семь восемь девять десять двадцать тридцать сорок "
    "сто тысяча тысячи миллион миллиард половина первый второй третий дві чотири сім вісім "
    "дев'ять "
    # Polish
    "dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwadzieścia sto tysiąc "
    "milion "
    # Arabic, Hindi
    "اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة مئة ألف مليون दो तीन चार पांच छह सात "
    "आठ नौ दस सौ हज़ार लाख"
)

DATES: Final = folded(
    "january february april june july august september october november december jan feb "
    "mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday "
    "saturday sunday today tomorrow yesterday januar februar märz juni juli oktober "
    "dezember montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen "
    "gestern janvier février avril juin juillet août septembre octobre novembre décembre "
    "lundi mardi mercredi jeudi vendredi samedi dimanche demain hier enero febrero abril "
    "mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles "
    "jueves viernes sábado domingo mañana ayer janeiro fevereiro maio junho julho setembro "
    "outubro novembro dezembro segunda terça quarta quinta sexta gennaio febbraio aprile "
    "maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì "
    "venerdì sabato domenica domani ieri января февраля марта апреля мая июня июля августа "
    "сентября октября ноября декабря понедельник вторник среда четверг пятница суббота "
    "воскресенье завтра вчера"
)

OPPOSITES: Final = folded(
    # modality and conditions
    "must shall should may might only always sometimes rarely unless except until optional "
    "forbidden prohibited now formerly "
    # the less used word of each pair
    "less fewer least smaller lower shorter slower earlier later worse minimum min below under "
    "before off down last right false wrong closed close shut disabled disable disables stop "
    "stops stopped deny denied denies reject rejected rejects fail fails failed failure unsafe "
    "invalid inactive incorrect incomplete impossible illegal irregular insecure insufficient "
    "exclude excluded excludes excluding absent missing decrease decreased decreases decreasing "
    "fell falls dropped loss lost negative disallow disallowed deactivated deactivate remove "
    "removed removes disconnected disconnect empty dead cold red green black free private sell "
    "sells sold or few some low slow slowly weak narrow shallow short late early bottom rear "
    "outer outside external outdoor odd vertical horizontal manual variable foreign minority "
    "junior retail wholesale minus gross net debit debits debited debtor debtors borrow borrows "
    "borrowed borrower lend lends lent landlord defendant seller selling buyer employer lessee "
    "payee liability liabilities deficit deficiency lose loses losing withdraw withdraws "
    "withdrawn withdrawal north south east west northern southern eastern western northward "
    "southward eastward westward northbound southbound eastbound westbound downstream downward "
    "descending malignant chronic diastolic venous posterior distal ventral lateral antagonist "
    "inhibit inhibits inhibited inhibitor acidic evening afternoon midnight guilty innocent "
    "anticlockwise "
    # verbs
    "lack lacks lacked lacking refuse refuses refused refusing refusal decline declines "
    "declined declining denying denial rejecting rejection forbid forbids forbade prohibit "
    "prohibits prevent prevents prevented ban bans banned block blocks blocked disallows "
    "disabling exclusive exclusion lowers lowered lowering reduce reduces reduced reducing "
    "reduction shrink shrinks shrank shrunk falling closes closing removing stopping failing "
    "deactivates detach detached depart departs departed departure exit exits exited revoke "
    "revokes revoked discard discards discarded delete deletes deleted destroy destroys "
    "destroyed hide hides hidden ignore ignores ignored avoid avoids avoided omit omits omitted "
    "pull pulls pulled hate hates hated dies died cancel cancels cancelled canceled suspend "
    "suspends suspended pause paused ends ended decrypt "
    # German, French, Spanish, Portuguese, Italian, Russian
    "brutto netto soll norden süden osten westen nord süd nördlich südlich östlich westlich "
    "bösartig bösartige bösartiger bösartigen bösartiges ablehnen ablehnt abgelehnt lehnt "
    "lehnte verweigert verweigern verbietet verboten deaktiviert deaktivieren sinkt sinken sank "
    "gesunken niedrig niedrige niedriger fehlt fehlen fehlte brut brute débit sud ouest malin "
    "maligne refuse refusé refuser refusent interdit interdite désactivé désactivée désactiver "
    "diminue diminué diminuent exclut exclu manque bas basse bruto neto débito norte oeste "
    "maligno maligna rechaza rechazó rechazado rechazar carece carecen prohíbe prohibido "
    "prohibida desactivado desactivar disminuye disminuyó excluye bajo baja leste recusa "
    "recusou rejeita rejeitado proíbe proibido desativado diminui diminuiu exclui baixo baixa "
    "líquido lordo ovest rifiuta rifiutato vieta vietato disattivato diminuisce diminuito "
    "esclude manca basso bassa минус плюс брутто нетто дебет дебету север севере юг юге запад "
    "западе восток востоке северный южный западный восточный злокачественный злокачественная "
    "злокачественное отказывает отказывается отказал отказался отклоняет отклонил отклонён "
    "отклонен отклонено запрещает запрещено запрещён запрещен отключить отключён отключен "
    "отключает выключить выключает уменьшается уменьшает уменьшилось уменьшился снижает "
    "снижается снизился снизилось исключает исключая исключён исключен низкий низкая низкое "
    "отсутствует "
    # Dutch, Swedish, Polish, Turkish
    "noord zuid oost noorden zuiden oosten weigert weigerde verbiedt uitgeschakeld daalt daalde "
    "kwaadaardig norr söder öster väster nekar vägrar förbjuder minskar północ południe zachód "
    "wschód złośliwy odrzuca odmawia zabrania wyłączony wyłącza maleje spada kuzey güney doğu "
    "reddediyor reddetti yasak azalıyor azaldı brüt kötü muss müssen darf dürfen soll sollte "
    "nur immer weniger kleiner niedriger kürzer unter vor aus falsch geschlossen zu doit peut "
    "seulement toujours moins inférieur faux fermé avant debe puede solo sólo siempre menos "
    "menor falso cerrado antes deve pode somente sempre fechado può meno minore inferiore "
    "chiuso prima falso должен может только всегда меньше ниже закрыт выключен"
)

# Put before a word, these make its opposite.
PREFIXES: Final = (
    "un", "in", "im", "il", "ir", "dis", "non", "de", "mis", "anti", "counter", "a",
    "ne", "nie", "не", "без", "غير", "لا", "אי", "בלתי", "अ",
)  # fmt: skip
SUFFIXES: Final = ("less", "los", "lose", "siz", "sız", "süz", "suz", "free", "frei")

# Words alike but for these are opposites.
OPPOSED_PREFIXES: Final = (
    ("hyper", "hypo"), ("hiper", "hipo"), ("iper", "ipo"), ("гипер", "гипо"), ("over", "under"),
    ("in", "ex"), ("im", "ex"), ("in", "out"), ("in", "de"), ("en", "de"), ("en", "dis"),
    ("ac", "de"), ("a", "de"), ("up", "down"), ("pre", "post"), ("ante", "post"), ("max", "min"),
    ("inter", "intra"), ("macro", "micro"), ("milli", "micro"), ("milli", "kilo"), ("uni", "bi"),
    ("mono", "poly"), ("sub", "super"), ("endo", "exo"), ("homo", "hetero"), ("pro", "anti"),
    ("north", "south"), ("east", "west"), ("be", "ent"), ("ein", "aus"), ("an", "aus"),
    ("an", "ab"), ("auf", "ab"), ("auf", "zu"), ("vor", "nach"), ("ober", "unter"),
    ("über", "unter"), ("sur", "sous"), ("в", "вы"), ("за", "от"), ("над", "под"),
)  # fmt: skip
RARE_PREFIXES: Final = ("hypo", "hipo", "гипо")  # the less used one of a pair
