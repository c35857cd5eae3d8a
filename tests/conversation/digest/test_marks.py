"""Facts about things of one sort stay side by side, and of each thing the latest value alone."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator_context.conversation.digest import digest, parse
from orchestrator_context.models import Segment
from orchestrator_context.tokens import token_counter

COUNTER = token_counter()


@dataclass(frozen=True)
class Family:
    """Ways of saying something of things that a name or a number tells apart."""

    sayings: tuple[str, ...]
    things: tuple[str, ...]
    values: tuple[str, ...]


PROJECTS = ("Orion", "Vega", "Lyra", "Draco")
NUMBERS = ("3", "4", "12", "17")
SUMS = ("500 euros", "900 euros", "70 euros", "35 euros")
BARS = ("5 bar", "7 bar", "9 bar", "11 bar")
FAMILIES = {
    "project": Family(
        (
            "The deadline of project {} is {}.",
            "Project {} is due on {}.",
            "We decided that project {} ends on {}.",
        ),
        PROJECTS,
        ("3 May", "9 June", "1 July", "30 August"),
    ),
    "team": Family(
        (
            "The budget of team {} is {}.",
            "Team {} may spend at most {}.",
            "The {} team gets {}.",
            "The budget of {} is {}.",
        ),
        ("Red", "Blue", "Phoenix", "Green"),
        SUMS,
    ),
    "ticket": Family(
        ("The owner of ticket {} is {}.", "Ticket {} belongs to {}."),
        ("T-1", "T-2", "T-30", "T-44"),
        ("Ann Lee", "Bob Ray", "Cid Moor", "Dot Hale"),
    ),
    "item": Family(
        ("The price of item {} is {}.", "Item no. {} costs {}.", "Item #{} costs {}."),
        NUMBERS,
        SUMS,
    ),
    "pump": Family(
        (
            "The pressure of pump {} must stay below {}.",
            "Pump {} runs at {}.",
            "In pump {} the limit is {}.",
        ),
        NUMBERS,
        BARS,
    ),
    "room": Family(
        ("We decided that room {} gets {}.", "Room {} has {}."),
        ("A", "B", "C", "D"),
        ("5 chairs", "9 chairs", "11 chairs", "20 chairs"),
    ),
    "station": Family(
        ("The limit for station {} is {}.", "At station {} the limit is {}."),
        ("Alba", "Zug", "Chur", "Sion"),
        SUMS,
    ),
    "service": Family(
        ("The timeout of service `{}` is {}.", 'The port of "{}" is {}.'),
        ("auth", "search", "mail", "cron"),
        ("8080", "9090", "7070", "6060"),
    ),
    "Werk": Family(
        (
            "Das Limit von Werk {} ist {}.",
            "Im Werk {} liegt die Grenze bei {}.",
            "Der Preis für das Werk {} beträgt {}.",
        ),
        ("Basel", "Bern", "Zug", "Chur"),
        ("500 Euro", "900 Euro", "70 Euro", "35 Euro"),
    ),
    "Pumpe": Family(
        ("Der Druck in Pumpe {} darf {} nie überschreiten.", "Pumpe {} läuft mit {}."),
        NUMBERS,
        BARS,
    ),
    "projet": Family(
        ("L'échéance du projet {} est le {}.", "Le projet {} se termine le {}."),
        PROJECTS,
        ("3 mai", "9 juin", "1 juillet", "30 août"),
    ),
    "estación": Family(
        ("El límite de la estación {} es de {}.", "La estación {} puede gastar {}."),
        ("Alba", "Norte", "Lugo", "Soria"),
        SUMS,
    ),
    "проект": Family(
        ("Срок проекта {} — {}.", "Проект {} заканчивается {}.", "Дедлайн проекта {}: {}."),
        ("Орион", "Вега", "Лира", "Дракон"),
        ("3 мая", "9 июня", "1 июля", "30 августа"),
    ),
    "насос": Family(
        ("Давление в насосе {} не должно превышать {}.", "Цена насоса {} — {}."),
        NUMBERS,
        ("50 рублей", "90 рублей", "70 рублей", "35 рублей"),
    ),
    "项目": Family(
        ("项目{}的截止日期是{}。", "{}项目的期限是{}。"),
        PROJECTS,
        ("5月3日", "6月9日", "7月1日", "8月30日"),
    ),
    "星座": Family(
        ("项目{}的截止日期是{}。", "{}项目的期限是{}。"),
        ("猎户座", "织女星", "天琴", "天龙座"),
        ("5月3日", "6月9日", "7月1日", "8月30日"),
    ),
    "泵": Family(
        ("{}号泵的上限是{}。", "泵{}的压力不得超过{}。", "第{}项的价格是{}。"),
        NUMBERS,
        ("50元", "90元", "70元", "35元"),
    ),
    "组": Family(
        ("{}组的预算是{}。", "房间{}的租金是{}。"),
        ("A", "B", "C", "D"),
        ("500元", "900元", "700元", "350元"),
    ),
    "プロジェクト": Family(
        ("プロジェクト{}の締め切りは{}です。", "{}プロジェクトの期限は{}です。"),
        ("オリオン", "ベガ", "リラ", "アンドロメダ"),
        ("5月3日", "6月9日", "7月1日", "8月30日"),
    ),
    "ポンプ": Family(
        ("ポンプ{}の上限は{}です。", "{}番ポンプの上限は{}です。"),
        NUMBERS,
        ("50円", "90円", "70円", "35円"),
    ),
}


def kept(*said: str, rolling: bool = False) -> list[str]:
    text = ""
    if rolling:
        for one in said:
            text = digest(text, [Segment(one)], max_tokens=2_000, counter=COUNTER)
    else:
        text = digest("", [Segment(one) for one in said], max_tokens=2_000, counter=COUNTER)
    return [entry.text for entry in parse(text)]


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=12)
@given(st.data())
def test_of_each_thing_the_latest_value_alone_is_kept(name: str, data: st.DataObject) -> None:
    family = FAMILIES[name]
    saying = data.draw(st.sampled_from(family.sayings))
    news = st.tuples(st.sampled_from(family.things), st.sampled_from(family.values))
    told = data.draw(st.lists(news, min_size=1, max_size=10))
    latest = {saying.format(thing, value) for thing, value in dict(told).items()}
    said = [saying.format(thing, value) for thing, value in told]
    assert set(kept(*said, rolling=data.draw(st.booleans()))) == latest


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=8)
@given(st.data())
def test_two_things_stay_in_whatever_words(name: str, data: st.DataObject) -> None:
    family = FAMILIES[name]
    sayings = st.sampled_from(family.sayings)
    things = data.draw(
        st.lists(st.sampled_from(family.things), min_size=2, max_size=2, unique=True)
    )
    values = data.draw(
        st.lists(st.sampled_from(family.values), min_size=2, max_size=2, unique=True)
    )
    said = [data.draw(sayings).format(*one) for one in zip(things, values, strict=True)]
    assert set(kept(*said)) == set(said)


CHANGES = [
    (
        "The deadline of project Orion is 3 May.",
        "The deadline of project {} is now 9 June.",
        "Orion",
        "Vega",
    ),
    (
        "The deadline of project Orion is 3 May.",
        "We moved the deadline of project {} to 9 June.",
        "Orion",
        "Vega",
    ),
    (
        "The deadline of project Orion is 3 May.",
        "The {} project is now due on 9 June.",
        "Orion",
        "Vega",
    ),
    ("The budget of team Red is 500 euros.", "Team {} gets 900 euros instead.", "Red", "Blue"),
    ("The owner of ticket T-1 is Ann Lee.", "The owner of ticket {} is now Bob Ray.", "T-1", "T-2"),
    ("Never exceed 5 bar in pump 3.", "The maximum for pump {} is now 7 bar.", "3", "4"),
    ("Never exceed 5 bar in Pump-3.", "From now on never exceed 7 bar in {}.", "Pump-3", "Pump-4"),
    ("Room A gets 5 chairs.", "Room {} gets 9 chairs now.", "A", "B"),
    ("The rent of flat 12b is 900 euros.", "The rent of flat {} is now 950 euros.", "12b", "14a"),
    (
        "Das Limit von Werk Basel ist 500 Euro.",
        "Das Limit für das Werk {} wurde auf 900 Euro erhöht.",
        "Basel",
        "Bern",
    ),
    (
        "Der Preis von Artikel 3 ist 30 Euro.",
        "Der Preis von Artikel {} steigt auf 45 Euro.",
        "3",
        "4",
    ),
    (
        "L'échéance du projet Orion est le 3 mai.",
        "Le projet {} est reporté au 9 juin.",
        "Orion",
        "Véga",
    ),
    (
        "El límite de la estación Alba es de 50 euros.",
        "El límite de la estación {} sube a 90 euros.",
        "Alba",
        "Zug",
    ),
    ("Срок проекта Орион — 3 мая.", "Срок проекта {} перенесён на 9 июня.", "Орион", "Вега"),
    ("项目猎户座的截止日期是5月3日。", "项目{}的截止日期改为6月9日。", "猎户座", "织女星"),
    ("3号泵的上限是50元。", "{}号泵的上限提高到90元。", "3", "4"),
    (
        "プロジェクトオリオンの締め切りは5月3日です。",
        "プロジェクト{}の締め切りは6月9日に変更になりました。",
        "オリオン",
        "ベガ",
    ),
]


@pytest.mark.parametrize(("old", "change", "same", "other"), CHANGES)
def test_a_change_reaches_what_it_names_and_nothing_else(
    old: str, change: str, same: str, other: str
) -> None:
    assert kept(old, change.format(same)) == [change.format(same)]
    assert kept(old, change.format(other)) == [old, change.format(other)]


@pytest.mark.parametrize(
    ("one", "other", "act"),
    [
        (
            "The deadline of project Orion is 3 May.",
            "The deadline of project Vega is 9 June.",
            "Forget the deadline of project Vega.",
        ),
        (
            "Never deploy service Alba on Fridays.",
            "Never deploy service Zug on Fridays.",
            "Deploys of service Zug on Fridays are allowed now.",
        ),
        (
            "We need to write the report for project Orion.",
            "We need to write the report for project Vega.",
            "The report for project Vega is done.",
        ),
        (
            "Never open valve 3 during the test.",
            "Never open valve 4 during the test.",
            "Forget the rule about valve 4.",
        ),
    ],
)
def test_what_is_taken_back_or_done_is_so_for_one_thing(one: str, other: str, act: str) -> None:
    assert one in kept(one, other, act)
    assert other not in kept(one, other, act)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fix ticket T-1.", "Fix ticket T-2."),
        ("Project Orion is approved.", "Project Vega is approved."),
        ("We closed item 3.", "We closed item 4."),
        ("Never open port 22.", "Never open port 443."),
        ("Never exceed 5 bar in pump 3.", "Never exceed 5 bar in pump 4."),
        ("The rent of room A is 500 euros.", "The rent of room B is 500 euros."),
        ("Wir haben Auftrag 55 erledigt.", "Wir haben Auftrag 56 erledigt."),
        ("Il faut fermer la vanne 3.", "Il faut fermer la vanne 4."),
        ("Нельзя открывать клапан 3.", "Нельзя открывать клапан 4."),
        ("请关闭阀门3。", "请关闭阀门4。"),
    ],
)
def test_the_same_said_of_two_things_is_two_facts(one: str, other: str) -> None:
    assert kept(one, other) == [one, other]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The service runs on port 8080.", "The service runs on port 9090."),
        ("We use version 3.", "We use version 4."),
        ("Our stand is number 14.", "Our stand is number 27."),
        ("Allow 3 retries for uploads.", "Allow 5 retries for uploads."),
        ("The team has 5 engineers.", "The team has 7 engineers."),
        ("We use Redis 7 for sessions.", "We use Valkey 8 for sessions instead."),
        ("The meeting is on Monday at 8:00.", "The meeting is on Tuesday at 9:00."),
    ],
)
def test_a_number_that_is_the_value_replaces_the_older(old: str, new: str) -> None:
    assert kept(old, new) == [new]


def test_many_things_of_one_sort_are_all_kept() -> None:
    names = "Alba Basel Chur Davos Ems Flims Genf Horgen Ilanz Jona Kloten Muri Nyon Olten".split()
    said = [f"The limit for station {name} is {at} francs." for at, name in enumerate(names)]
    assert kept(*said) == said


def test_what_the_assistant_says_of_another_thing_is_no_repetition() -> None:
    said = (
        Segment("The limit of pump 3 is 5 bar."),
        Segment("The limit of pump 4 is 5 bar.", role="assistant"),
    )
    text = digest("", said, max_tokens=400, counter=COUNTER)
    assert len(parse(text)) == 2
