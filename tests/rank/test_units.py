"""Splitting into units: whole sentences and statements, under the names they belong to."""

from __future__ import annotations

from textwrap import dedent

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.rank import Unit, pieces, units
from tests.linear import assert_linear

PYTHON = dedent('''\
    """Queues."""

    import collections
    from . import locks

    LIMIT = 45  # degrees


    class Queue(Base):
        """A queue, useful for coordinating producer and consumer coroutines.

        If maxsize is less than or equal to zero, the queue size
        is infinite.
        """

        def __init__(self, maxsize=0):
            self._maxsize = maxsize
            self._log = make_log(
                "queue",
                level=3,
            )

        @property
        def full(self):
            # Wake up the next waiter (if any)
            # that isn't cancelled.
            if self._maxsize <= 0:
                return False
            try:
                self._check()
            except ValueError:
                # It was removed.
                pass
''')
MARKDOWN = dedent("""\
    # Install

    Run the installer. It needs Python 3.11 or newer.

    ```bash
    pip install pump
    ```

    ## Options

    | Name    | Default |
    |---------|---------|
    | timeout | 30      |

    - Use `--force` to overwrite.
    - Never run it as root,
      because it changes permissions.

    1. Open the valve. Wait.
    2. Close it.

    Limits
    ------
    There are none.
""")
JAVASCRIPT = dedent("""\
    /**
     * Opens a socket to the pump.
     * @param host the address of the pump
     */
    export async function open(host, { retries = 3 } = {}) {
      // Try a few times before giving up.
      for (let i = 0; i < retries; i++) {
        await connect(host);
      }
    }
    const LIMIT = 45;
""")
C = dedent("""\
    /* Reads the sensor.
     * Returns -1 on error. */
    static int read_sensor(struct dev *d, int n)
    {
        if (rc < 0)
            return -1;
        return rc;
    }
""")


def shown(text: str, title: str = "") -> list[str]:
    return [f"{unit.label}|{unit.text}" for unit in units([text], title=title)]


def test_python() -> None:
    assert shown(PYTHON, title="queues") == [
        "queues|Queues.",
        "queues|import collections",
        "queues|from . import locks",
        "queues|LIMIT = 45  # degrees",
        "queues|class Queue(Base):",
        "`Queue`|A queue, useful for coordinating producer and consumer coroutines.",
        "`Queue`|If maxsize is less than or equal to zero, the queue size is infinite.",
        "`Queue`|def __init__(self, maxsize=0):",
        "`Queue.__init__(maxsize=0)`|self._maxsize = maxsize",
        '`Queue.__init__(maxsize=0)`|self._log = make_log( "queue", level=3, )',
        "`Queue`|@property",
        "`Queue`|def full(self):",
        "`Queue.full()`|Wake up the next waiter (if any) that isn't cancelled.",
        "`Queue.full()`|if self._maxsize <= 0: return False",
        "`Queue.full()`|try: self._check()",
        "`Queue.full()`|It was removed.",
        "`Queue.full()`|pass",
    ]


def test_markdown() -> None:
    assert shown(MARKDOWN) == [
        "|Install",
        "Install|Run the installer.",
        "Install|It needs Python 3.11 or newer.",
        "Install|pip install pump",
        "|Options",
        "Options|| Name    | Default |",
        "Options|| timeout | 30      |",
        "Options|Use `--force` to overwrite.",
        "Options|Never run it as root, because it changes permissions.",
        "Options|1. Open the valve.",
        "Options|Wait.",
        "Options|2. Close it.",
        "|Limits",
        "Limits|There are none.",
    ]


def test_javascript() -> None:
    name = "`open(host, { retries = 3 } = {})`"
    assert shown(JAVASCRIPT) == [
        "|Opens a socket to the pump.",
        "|@param host the address of the pump",
        "|export async function open(host, { retries = 3 } = {}) {",
        f"{name}|Try a few times before giving up.",
        f"{name}|for (let i = 0; i < retries; i++) {{ await connect(host);",
        "|const LIMIT = 45;",
    ]


def test_c() -> None:
    name = "`read_sensor(struct dev *d, int n)`"
    assert shown(C) == [
        "|Reads the sensor.",
        "|Returns -1 on error.",
        "|static int read_sensor(struct dev *d, int n) {",
        f"{name}|if (rc < 0) return -1;",
        f"{name}|return rc;",
    ]


def test_wrapped_prose_is_joined_and_short_lines_are_not() -> None:
    wrapped = (
        "The inlet valve should not be opened by hand and it must never\n"
        "exceed the limit. The second pump is there for emergencies only."
    )
    assert shown(wrapped) == [
        "|The inlet valve should not be opened by hand and it must never exceed the limit.",
        "|The second pump is there for emergencies only.",
    ]
    assert shown("Alice Smith\nBob Jones\nCarol King") == [
        "|Alice Smith",
        "|Bob Jones",
        "|Carol King",
    ]


def test_entries_of_a_log_stand_alone() -> None:
    log = "2024-01-01 12:00:00 ERROR pump 1 has stopped by itself\n" * 2
    assert len(units([log])) == 2


@pytest.mark.parametrize("text", ["name: main pump\nstate: closed", '"name": "main",\n"state": 3'])
def test_fields_stand_alone(text: str) -> None:
    assert [unit.text for unit in units([text])] == text.split("\n")


def test_other_scripts() -> None:
    assert shown("水泵停机。需要更换\n密封圈。") == ["|水泵停机。", "|需要更换", "|密封圈。"]
    assert shown("§ 3 Mietdauer\nDie Frist beträgt sechs Monate. Sie gilt für alle.") == [
        "|§ 3 Mietdauer",
        "§ 3 Mietdauer|Die Frist beträgt sechs Monate.",
        "§ 3 Mietdauer|Sie gilt für alle.",
    ]


def test_a_half_statement_is_no_unit() -> None:
    assert shown("raise ValueError(\n") == []
    assert shown("if ready:\n\n") == []
    assert shown("while ready:\nx = 1\n") == ["|x = 1"]


def test_labels_are_carried_over_to_the_next_passages_but_not_far() -> None:
    prose = "It says something.\n"
    found = units(["Title\n\nThe pump is big and blue.\n", *[prose] * 4], title="file")
    labels = [unit.label for unit in found if unit.text != "Title"]
    assert labels == ["Title", "Title", "Title", "file", "file"]


def test_definitions_reach_as_far_as_their_indentation() -> None:
    found = units(["class A:\n    def f(self):\n        return 1\n", "        return 2\n\nx = 3\n"])
    assert [unit.label for unit in found if unit.kind == "code"] == ["`A.f()`", "`A.f()`", ""]


def test_the_first_sentence_under_a_name_opens_it() -> None:
    assert [unit.text for unit in units([PYTHON]) if unit.opening] == [
        "Queues.",
        "A queue, useful for coordinating producer and consumer coroutines.",
        "Wake up the next waiter (if any) that isn't cancelled.",
    ]


def test_what_is_too_long_is_cut_at_words_and_says_so() -> None:
    text = "pump " * 400 + "valve."
    found = [unit.text for unit in units([text])]
    assert len(found) == 3
    assert found[0].endswith("pump…")
    assert found[1].startswith("…pump")
    assert found[-1].endswith("valve.")
    assert sum(part.count("pump") for part in found) == 400


def test_code_in_backticks_is_not_parted() -> None:
    text = "Call `fail('No. Such thing')` here. It raises."
    assert list(pieces(text)) == ["Call `fail('No. Such thing')` here.", "It raises."]


def words_of(unit: Unit) -> str:
    return "".join(unit.text.strip("…").split())


@given(st.lists(st.text("abCD xyz.,!?\n\n  水泵。éж"), max_size=4))
def test_units_are_the_words_of_their_passage(passages: list[str]) -> None:
    for unit in units(passages):
        assert words_of(unit) in "".join(passages[unit.passage].split())


@given(st.lists(st.text(), max_size=4), st.text(max_size=9))
def test_any_text(passages: list[str], title: str) -> None:
    found = units(passages, title=title)
    assert [unit.order for unit in found] == list(range(len(found)))
    assert [unit.passage for unit in found] == sorted(unit.passage for unit in found)
    for unit in found:
        assert regex.search(r"[\p{L}\p{N}]", unit.text)
        assert len(unit.text.splitlines()) == 1


LINES = st.sampled_from(
    '"""Doc."""|def f(a,|    b):|class A:|    x = f(|)|# note|/* c|* d */|{|}|- item|1. item|'
    "```|| a | b |||===|if x:|    return 1|Some prose that goes on and on for a while without|"
    "an end.|Title||r'''|>>> x|水泵停机|@property|\\|key: value|\u2028|2024-01-01 12:00 x".split(
        "|"
    )
)


@given(st.lists(LINES, max_size=30))
def test_any_mixture_of_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    kept = "".join(text.split())
    for unit in units([text]):
        assert all(word in kept for word in unit.text.split())


@pytest.mark.parametrize(
    "piece",
    [
        "pump\n",
        "[S1,\n",
        "a = ",
        "if x:\n",
        "水泵",
        "🧠",
        "deadbeef",
        "`",
        '"""\n',
        "def f(x):\n",
        "x\n\n",
    ],
)
def test_time_is_linear(piece: str) -> None:
    assert_linear(lambda text: units([text]), lambda count: piece * count, small=1_000)
