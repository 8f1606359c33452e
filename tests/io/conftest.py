"""What the command line says of what it refuses."""

import pytest

from bayesf1.cli.main import main


@pytest.fixture
def refused(capsys):
    """A function of arguments after ``bayesf1 compare``, which must be refused; it returns the one line that says so."""

    def said(*argv):
        assert main(["compare", *map(str, argv)]) == 2
        out, err = capsys.readouterr()
        assert not out
        assert err.count("\n") == 1
        return err

    return said
