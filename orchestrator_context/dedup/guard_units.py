"""Words for units and rates. All are case-folded."""

from __future__ import annotations

from typing import Final

from orchestrator_context.dedup.guard_words import folded

MEASURES: Final = (
    folded(
        # units that are no ordinary words
        "mm cm dm km nm µm μm yd ft mg kg kgs mcg µg μg ug lb lbs oz tonne tonnes ml cl dl hl "
        "µl μl gal ms µs μs ns sec secs mins hr hrs kb mb gb tb pb kib mib gib tib kbit mbit "
        "gbit kbps mbps gbps byte bytes kilobyte kilobytes megabyte megabytes gigabyte "
        "gigabytes terabyte terabytes hz khz mhz ghz kw mw gw kwh mwh wh kv mv mah hpa kpa mpa "
        "mbar psi atm rpm ppm ppb px kph kmh mph kcal kj mol mmol µmol iu percent prozent usd "
        "eur gbp jpy cny chf inr bn mio mrd celsius fahrenheit kelvin centigrade mile miles "
        "inches gallon gallons pint pints ounce ounces acre acres hectare hectares knots "
        "millibar millibars pascal pascals volt volts millivolt millivolts ampere amperes watt "
        "watts kilowatt kilowatts megawatt megawatts joule joules kilojoule kilojoules calorie "
        "calories kilocalorie kilocalories hertz kilohertz megahertz gigahertz millisecond "
        "milliseconds microsecond microseconds nanosecond nanoseconds millisekunden dollar "
        "dollars euro euros cents pence yen yuan rupee rupees рубль рубля рублей доллар доллара "
        "долларов евро zoll meile meilen pfund unze unzen pulgada pulgadas milla millas libra "
        "libras onza onzas pouce pouces livres pollici miglia libbre мбар бар баров барах кг мг "
        "мкг см мм км мл кпа мпа гпа квт мвт гц кгц мгц гб мб кб тб мин сек руб тыс млн млрд "
        "фунт фунта фунтов фунтах дюйм дюйма дюймов дюймах миля мили миль милях цельсия цельсию "
        "фаренгейта фаренгейту кельвина كغ كجم ملغ مل كم سم किग्रा मिग्रा किमी"
    )
    | frozenset(
        prefix + base
        for prefix in ("", "kilo", "centi", "zenti", "milli", "mili", "micro", "mikro", "nano")
        for base in (
            "meter meters metern metre metres mètre mètres metro metros metri gram grams gramm "
            "gramme grammes gramo gramos grama gramas grammo grammi liter liters litern litre "
            "litres litro litros litri"
        ).split()
    )
    | frozenset(
        prefix + base
        for prefix in ("", "кило", "санти", "милли", "микро", "нано")
        for base in (
            "метр метра метров метрах грамм грамма граммов граммах литр литра литров литрах"
        ).split()
    )
)

FREQUENCIES: Final = folded(
    "hourly daily nightly weekly biweekly fortnightly monthly bimonthly quarterly yearly "
    "annually annual biannual biannually semiannual semiannually biennial biennially "
    # German takes its endings below; Dutch, Danish, Norwegian, Swedish
    "minütlich dagelijks dagelijkse wekelijks wekelijkse maandelijks maandelijkse jaarlijks "
    "jaarlijkse dagligt daglig daglige dagligen ugentligt ugentlig ukentlig månedligt månedlig "
    "årligt årlig årligen veckovis månadsvis "
    # French, Spanish, Portuguese, Italian, Romanian
    "quotidien quotidienne quotidiens quotidiennes quotidiennement hebdomadaire hebdomadaires "
    "hebdomadairement mensuel mensuelle mensuels mensuelles mensuellement trimestriel "
    "trimestrielle annuel annuelle annuels annuelles annuellement horaire horaires diario "
    "diaria diarios diarias diariamente semanal semanales semanalmente mensual mensuales "
    "mensualmente trimestral trimestralmente anual anuales anualmente diário diária diários "
    "diárias semanais mensal mensais mensalmente anuais giornaliero giornaliera giornalmente "
    "quotidiano quotidiana quotidianamente settimanale settimanalmente mensile mensilmente "
    "trimestrale annuale annualmente zilnic săptămânal "
    # Polish, Czech, Slovak, Croatian, Russian, Ukrainian
    "codziennie codzienny dziennie tygodniowo cotygodniowo miesięcznie rocznie corocznie denně "
    "týdně měsíčně ročně denne týždenne mesačne ročne dnevno tjedno mjesečno godišnje ежечасно "
    "ежедневно еженедельно ежемесячно ежеквартально ежегодно ежедневный ежедневная ежедневное "
    "еженедельный еженедельная еженедельное ежемесячный ежемесячная ежемесячное ежегодный "
    "ежегодная ежегодное щогодини щодня щотижня щомісяця щороку щоденно щотижнево "
    # Finnish, Hungarian, Turkish, Greek
    "tunnissa päivässä viikossa kuukaudessa vuodessa päivittäin viikoittain kuukausittain "
    "vuosittain óránként naponta hetente havonta évente saatte günde haftada ayda yılda saatlik "
    "günlük haftalık aylık yıllık ημερησίως εβδομαδιαίως μηνιαίως ετησίως "
    # Arabic, Hebrew, Hindi, Indonesian
    "يوميا يومياً أسبوعيا أسبوعياً شهريا شهرياً سنويا سنوياً לשעה ליום לשבוע לחודש לשנה दैनिक "
    "साप्ताहिक मासिक वार्षिक प्रतिदिन harian mingguan bulanan tahunan"
) | frozenset(
    stem + ending
    for stem in "stündlich täglich wöchentlich monatlich vierteljährlich jährlich".split()
    for ending in ("", "e", "en", "er", "es", "em")
)

UNITS: Final = folded(
    # ordinary words too, so they count behind a number or one of `BEFORE_UNITS` only; "bit" and
    # "point" are left out for "a bit": what stands instead is here
    "k c f m s h d g l t v w j n b p x um mi in inch ton tons us min ma pa bar bars bits pt em "
    "rem cal percentage points basis bps day days week weeks month months year years hour hours "
    "minute minutes second seconds night nights fortnight fortnights decade decades century "
    "centuries foot feet yard yards pound pounds degree degrees cent thousand million billion "
    "times fold people am pm uhr items units pieces stück grad tag tage tagen woche wochen "
    "monat monate monaten jahr jahre jahren stunde stunden minuten sekunde sekunden nacht uur "
    "dag dagen maand maanden jaar weken minuut dagen dygnet timme timmen vecka veckan månad "
    "månaden dygn timen uge ugen uke uken måned måneden år året jour jours semaine semaines "
    "mois ans année années heure heures secondes seconde nuit degrés día días semana semanas "
    "mes meses año años hora horas minuto minutos segundo segundos noche grados dia dias mês "
    "ano anos giorno giorni settimana settimane mese mesi anno anni ora ore minuti secondo "
    "secondi gradi godzinę godzina godzin dzień dni tydzień tygodni miesiąc rok lat minutę "
    "sekundę hodinu hodina týden měsíc minutu sekundu г т м л ч день дня дней сутки неделя "
    "неделю недели недель месяц месяца месяцев месяцам год года лет час часа часов минута "
    "минуту минут секунда секунду секунд градусов процентов годину години день тиждень місяць "
    "рік хвилину ώρα ημέρα μέρα εβδομάδα μήνα έτος λεπτό saat gün hafta ay yıl dakika saniye "
    "tunti päivä viikko kuukausi vuosi óra nap hét hónap év ساعة الساعة يوم اليوم أسبوع الأسبوع "
    "شهر الشهر سنة السنة عام العام دقيقة الدقيقة ثانية الثانية שעה יום שבוע חודש שנה דקה घंटा "
    "घंटे दिन सप्ताह हफ्ते हफ़्ते महीने महीना माह वर्ष साल मिनट सेकंड jam hari minggu bulan "
    "tahun menit detik giờ ngày tuần tháng năm phút giây"
)

BEFORE_UNITS: Final = folded(
    # rates: "5 per day", "twice a day", and units of measure: "given in bar"
    "per a an each every any all in within several many few some other another next last past "
    "this previous pro je jede jeden jedem jeder jedes am im mehrere einige alle elke ieder "
    "iedere om i hver hvert varje par chaque tous toutes l en cada por al la el à au alla all "
    "ogni pela ao toda todo todas todos na za co każdy każdą każde každý každou každé в во за "
    "на каждый каждая каждую каждое каждые по на кожен кожну кожного ανά την το κάθε her joka "
    "minden في كل لكل בכל לכל כל प्रति हर setiap tiap mỗi một"
)
