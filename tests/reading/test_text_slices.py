"""Pieces of a text are compared and numbered as the strings that they are."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayesf1.reading import text_slices
from bayesf1.reading.text_slices import TextSlices

# Words of eight bytes are what is compared, so pieces are cut around that.
PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            ["O", "B-LOC", "12345678", "123456789", "1234567é", "x" * 24, "x" * 23 + "y", "\0", ""]
        ),
        st.text(st.characters(codec="utf-8"), max_size=20),
    ),
    max_size=30,
)


def cut(pieces, between=b"|"):
    sizes = [len(piece.encode()) for piece in pieces]
    starts = np.cumsum([0, *(size + len(between) for size in sizes)])[: len(pieces)].astype(np.int64)
    data = between.join(piece.encode() for piece in pieces)
    return TextSlices(data, starts, starts + np.array(sizes, dtype=np.int64))


@given(PIECES, PIECES)
def test_pieces_are_equal_where_their_strings_are(one, other):
    assert list(cut(one)) == cut(one)[:] == one
    assert (cut(one) == cut(other)) == (one == other)
    assert cut(one) == cut(one, between=b"-----") == one
    assert [cut(one)[i] for i in range(len(one))] == one


@given(PIECES)
def test_a_number_stands_for_a_piece(pieces):
    distinct, numbers = cut(pieces).numbered()
    assert [distinct[i] for i in numbers] == pieces
    assert len(distinct) == len({*pieces})


def test_pieces_that_share_a_slot_are_told_apart(monkeypatch):
    monkeypatch.setattr(text_slices, "_HASH_BITS", 1)
    pieces = [f"B-{i % 7}" for i in range(30)]
    distinct, numbers = cut(pieces).numbered()
    assert [distinct[i] for i in numbers] == pieces
    assert len(distinct) == 7


def test_a_piece_that_is_not_there_is_an_error():
    with pytest.raises(IndexError):
        cut(["a"])[1]
