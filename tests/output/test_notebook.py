"""What a notebook shows: a table for every result, and every figure."""

import numpy as np
import pytest


@pytest.mark.long
def test_two_figures_and_one_of_the_user_appear():
    nbformat = pytest.importorskip("nbformat")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    pytest.importorskip("ipykernel")
    cells = [
        "import bayesf1 as bf; ev = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14)); bf.plot_posterior(ev);",
        "bf.plot_difference(bf.compare(ev));",
        "import matplotlib.pyplot as plt; plt.plot([1, 2]);",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    preprocessors.ExecutePreprocessor(timeout=120).preprocess(book)
    figures = [sum("image/png" in out.get("data", {}) for out in cell.outputs) for cell in book.cells]
    assert np.array_equal(figures, [1, 1, 1])
