"""Errors keep their parts: Python and the command line each find their own words in them."""

import pickle

import pytest

from bayesf1.base.errors import Argument, WordedError, Wording, located
from bayesf1.commands.main import main
from bayesf1.commands.options import OPTIONS


@pytest.fixture
def error():
    return WordedError(Argument("n_trials"), " {is} 0; ", Wording("say n=…", "say --n"))


def test_an_error_says_pythons_words_unless_asked(error):
    assert str(error) == "n_trials {is} 0; say n=…"
    assert error.on_command_line(OPTIONS) == "--trials {is} 0; say --n"


def test_an_argument_without_an_option_keeps_its_name(error):
    assert error.on_command_line({}) == "n_trials {is} 0; say --n"


def test_a_plain_text_that_looks_like_an_argument_is_left_alone():
    assert WordedError("n_trials", " is a model").on_command_line(OPTIONS) == "n_trials is a model"


def test_the_parts_survive_a_place_before_them_and_another_process(error):
    with pytest.raises(WordedError) as caught, located("a.csv"):
        raise error
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == f"a.csv: {error}"
    assert again.on_command_line(OPTIONS) == "a.csv: --trials {is} 0; say --n"


def test_the_command_line_asks_for_its_own_words(tmp_path, capsys):
    path = tmp_path / "predictions.csv"
    path.write_text("label,a\nspam,ham\nham,ham\n")
    assert main(["rank", str(path), "--gold", "label"]) == 2
    assert capsys.readouterr().err == (
        f"bayesf1: {path}: which label is positive? The labels are 'ham', 'spam'; say --positive with one of them\n"
    )
