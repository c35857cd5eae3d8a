"""Units of measure: what they measure, how they are spelled, and which spellings are one."""

from __future__ import annotations

import unicodedata
from typing import Final

import regex

__all__ = ["MEASURE", "QUANTITIES", "measure_key", "quantity"]

_SPELLED: Final = {
    "duration": {
        "ms": "ms msec millisecond milliseconds millisekunden millisecondes milisegundos мс 毫秒",
        "s": "s sec secs second seconds sekunde sekunden sek seconde secondes segundo segundos seg "
        "секунда секунды секунд сек 秒 秒钟 秒鐘 秒間",
        "min": "min mins minute minutes minuten minuto minutos минута минуты минут мин 分钟 分鐘 "
        "分間",
        "h": "h hr hrs hour hours stunde stunden std heure heures hora horas час часа часов 小时 "
        "小時 時間",
        "day": "day days tag tage tagen jour jours día días день дня дней 天",
        "week": "week weeks woche wochen semaine semaines semana semanas неделя недели недель 周 "
        "週間",
        "month": "month months monat monate monaten mois mes meses месяц месяца месяцев 个月 個月 "
        "ヶ月 か月",
        "year": "year years jahr jahre jahren ans année années año años год года лет",
    },
    "data": {
        "byte": "byte bytes octet octets байт",
        "bit": "bit bits",
        "kb": "kb kib ko кб",
        "mb": "mb mib mo мб",
        "gb": "gb gib go гб",
        "tb": "tb tib тб",
        "kbps": "kbps kbit/s",
        "mbps": "mbps mbit/s",
        "gbps": "gbps gbit/s",
    },
    "length": {
        "m": "m meter meters metre metres metern mètre mètres metro metros метр метра метров 米",
        "km": "km kilometer kilometers kilometre kilometres kilómetros км 公里",
        "cm": "cm см",
        "mm": "mm мм",
        "mile": "mile miles",
        "foot": "ft foot feet",
        "px": "px pixel pixels",
        "pt": "pt",
    },
    "mass": {
        "g": "g gram grams gramm grammes gramos 克",
        "kg": "kg kilogram kilograms кг 公斤",
        "mg": "mg мг",
        "pound": "lb lbs",
    },
    "volume": {
        "ml": "ml мл",
        "l": "liter liters litre litres litro litros литр литра литров",
    },
    "rate": {
        "dpi": "dpi",
        "fps": "fps",
        "rpm": "rpm",
        "hz": "hz",
        "khz": "khz",
        "mhz": "mhz",
        "ghz": "ghz",
    },
    "power": {"w": "w watt watts", "kw": "kw", "kwh": "kwh"},
    "voltage": {"v": "v volt volts", "mv": "mv"},
    "current": {"ma": "ma"},
    "pressure": {"bar": "bar", "psi": "psi", "kpa": "kpa"},
}
_UNITS: Final = {
    word: (sort, unit)
    for sort, units in _SPELLED.items()
    for unit, words in units.items()
    for word in words.split()
}
_CASED: Final = {"mo": "Mo", "go": "Go", "ko": "Ko", "g": "g", "ma": "mA", "w": "W", "v": "V"}
"""Those that are something else in another case: "5G", "let 5 go"."""

_ATTACHED: Final = "kKM"  # thousands and millions, as in "300k"

QUANTITIES: Final = frozenset(_SPELLED)
"""What is measured; one of them never takes the place of another."""


def _pattern() -> str:
    plain = sorted(_UNITS.keys() - _CASED.keys(), key=len, reverse=True)
    cased = "|".join(sorted(_CASED.values(), key=len, reverse=True))
    words = f"{'|'.join(map(regex.escape, plain))}|(?-i:{cased})"
    return rf"\d(?:[\d.,]*\d)?(?:[\s\xa0\u202f-]?(?:{words})(?:/\p{{L}}+)?|(?-i:[{_ATTACHED}]))"


MEASURE: Final = _pattern()
"""A number with a unit, such as "45 s", "450MB" or "5 MB/s", in a pattern that ignores case."""

_PARTS: Final = regex.compile(r"(?P<amount>\d[\d.,]*\d|\d)[\s-]*(?P<unit>[^\s/-]+)(?P<per>/.+)?")


def quantity(measure: str) -> str:
    """Return what is measured, such as "duration"; "number" of thousands and millions."""
    return _read(measure)[0]


def measure_key(measure: str) -> str:
    """Return what makes a measure equal to others: "30 seconds" and "30s" are one."""
    _, amount, unit = _read(measure)
    return f"{amount} {unit}"


def _read(measure: str) -> tuple[str, str, str]:
    parts = _PARTS.search(unicodedata.normalize("NFKC", measure).casefold())
    if parts is None:
        return "number", measure, ""
    unit, per = parts["unit"], parts["per"] or ""
    sort, name = _UNITS.get(unit + per) or _UNITS.get(unit, ("number", unit))
    _, each = _UNITS.get(per[1:], ("", per[1:]))
    per = "" if unit + per in _UNITS else per and f"/{each}"
    return sort, parts["amount"].replace(",", ""), name + per
