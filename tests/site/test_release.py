"""What is released says one version, and where to find things."""

import re
import tomllib

import pytest

import bayesf1
from builders import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("CITATION.cff", r"^version: (\S+)$"),
        ("recipe/recipe.yaml", r"^  version: \"(\S+)\"$"),
        # A version in preparation says so in its heading.
        ("CHANGELOG.md", r"^## (\S+)$"),
    ],
)
def test_other_files_name_the_same_version(file, pattern):
    text = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(pattern, text, flags=re.MULTILINE)[1] == bayesf1.__version__


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    run = re.search(r"^  run:\n((?:    - .+\n)+)", recipe, flags=re.MULTILINE)[1]
    asked = {line.strip("- ").replace(" ", "") for line in run.splitlines()} - {"python>=${{python_min}}"}
    # conda-forge calls matplotlib without its windows so
    called = {"matplotlib": "matplotlib-base", "lazy-loader": "lazy_loader"}
    wanted = {
        re.sub(r"^[\w-]+", lambda name: called.get(name[0], name[0]), text)
        for text in PROJECT["dependencies"]
    }
    assert asked == wanted


def test_the_build_on_a_server_runs_every_python_that_is_claimed():
    claimed = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert re.findall(r'"([\d.]+)"', re.search(r"python: \[(.*)\]", workflow)[1]) == claimed
    assert PROJECT["requires-python"] == f">={claimed[0]}"
