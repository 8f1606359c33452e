"""Where a function crosses 0, and blocks along a diagonal."""

import numpy as np
import pytest
from scipy.sparse import issparse, isspmatrix

from bayesf1.base.arrays import block_diagonal, crossing, sparse


@pytest.mark.parametrize("root", [-2.0, 0.25, 2.0])
def test_a_function_without_a_change_of_sign_crosses_at_the_nearer_end(root):
    assert crossing(lambda x: x - root, 0.0, 1.0) == pytest.approx(np.clip(root, 0.0, 1.0), rel=1e-15)


@pytest.mark.parametrize("kinds", [(np.asarray, np.asarray), (np.asarray, sparse), (sparse, sparse)])
def test_blocks_along_a_diagonal_make_a_sparse_array_never_a_matrix(kinds):
    blocks = [kind([[1.0, 2.0]]) for kind in kinds]
    joined = block_diagonal(blocks)
    assert issparse(joined)
    assert not isspmatrix(joined)
    np.testing.assert_array_equal(joined.toarray(), [[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 2.0]])
