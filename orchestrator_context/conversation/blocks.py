"""In which order calls and results are sent: every result directly behind the message of its call.

Services refuse a request in which anything else stands between them. Calls that follow each other
are one message, unless they come from Chat Completions, whose messages stay apart.
"""

from __future__ import annotations

from orchestrator_context.models import Segment

NO_RESULT = "[no result was recorded for this call]"


class Blocks:
    """Puts segments in the order in which they are sent, one by one, each in constant time.

    Attributes:
        pieces: indices of segments, in the order in which they are sent. A piece is calls and their
            results, or what stands between such.
        late: indices of results that are not sent where they stand.
        repeated: indices of those of them whose call has a result, which can be sent as texts only.
        in_order: whether everything can be sent as it stands.
    """

    def __init__(self) -> None:
        self.pieces: list[list[int]] = [[]]
        self.late: list[int] = []
        self.repeated: list[int] = []
        self.in_order = True
        self._piece_of: dict[int, int] = {}
        self._stood_in: dict[int, int] = {}  # results that only say that there is none, by call
        self._replaced: set[int] = set()
        self._answered: set[int] = set()
        self._open = False  # whether the last piece is calls and results
        self._answers = False  # whether results of it stand in messages of their own already
        self._inside = False  # whether the last segment is part of a message with calls of it
        self._waiting = 0  # calls of it without a result

    def add(self, index: int, segment: Segment, *, continues: bool) -> None:
        """Take down a segment that is no result.

        Args:
            index: its place.
            segment: the segment.
            continues: whether it is a part of the message of the one before.
        """
        calls = segment.kind == "tool_call"
        inside = continues and self._inside
        if not inside and not (self._open and self._joins(segment)):
            self._begin(opens=calls)
        self._inside = self._open
        if calls:
            self._piece_of[index] = len(self.pieces) - 1
            self._waiting += 1
        self.pieces[-1].append(index)

    def answer(self, index: int, segment: Segment, call: int, *, continues: bool) -> None:
        """Take down a result of the call at index `call`."""
        stands_in = segment.content == NO_RESULT
        if call in self._answered and call not in self._stood_in:
            self.in_order = False
            if not stands_in:
                self.late.append(index)
                self.repeated.append(index)
                self.add(index, segment, continues=False)
            return
        if call in self._stood_in:
            self.in_order = False
            self._replaced.add(self._stood_in.pop(call))
        if stands_in:
            self._stood_in[call] = index
        piece = self._piece_of[call]
        here = self._open and piece == len(self.pieces) - 1
        self.pieces[piece].append(index)
        self._inside = self._inside and continues
        if here:
            self._answers = self._answers or not self._inside
            self._waiting -= call not in self._answered
        else:
            self.in_order = False
            self.late.append(index)
        self._answered.add(call)

    def sent(self, piece: int) -> list[int]:
        """Return the segments of a piece, without results that another one came for."""
        return [index for index in self.pieces[piece] if index not in self._replaced]

    def piece_of(self, call: int) -> int:
        """Return the number of the piece of a call."""
        return self._piece_of[call]

    def is_followed(self, call: int) -> bool:
        """Return whether something is sent behind a call that is neither call nor result of it."""
        return self._piece_of[call] < len(self.pieces) - 1

    def _joins(self, segment: Segment) -> bool:
        apart = segment.kind not in ("tool_call", "reasoning") or "openai_chat" in segment.metadata
        return not (self._answers or apart)

    def _begin(self, *, opens: bool) -> None:
        if self._waiting:
            self.in_order = False
        if self._open or opens:
            self.pieces.append([])
        self._open, self._answers, self._waiting = opens, False, 0
