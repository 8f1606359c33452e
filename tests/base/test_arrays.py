"""Where a function crosses 0."""

import numpy as np
import pytest

from bayesf1.base.arrays import crossing


@pytest.mark.parametrize("root", [-2.0, 0.25, 2.0])
def test_a_function_without_a_change_of_sign_crosses_at_the_nearer_end(root):
    assert crossing(lambda x: x - root, 0.0, 1.0) == pytest.approx(np.clip(root, 0.0, 1.0), rel=1e-15)
