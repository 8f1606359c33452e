"""The formats that can be read, the more telling first: a new one is a file of its own and a line here."""

from __future__ import annotations

from bayesf1.reading.brat import BRAT
from bayesf1.reading.conlleval import CONLLEVAL
from bayesf1.reading.conllu import CONLLU
from bayesf1.reading.count_files import COUNTS
from bayesf1.reading.format import Format
from bayesf1.reading.inspect_logs import INSPECT
from bayesf1.reading.lm_eval import LM_EVAL
from bayesf1.reading.preference_files import PREFERENCES
from bayesf1.reading.saved_evaluations import EVALUATION
from bayesf1.reading.table_files import TABLE
from bayesf1.reading.tag_files import TAGS
from bayesf1.reading.trec import TREC

INPUT_FORMATS: tuple[Format, ...] = (
    *(EVALUATION, INSPECT, LM_EVAL, TREC, BRAT, CONLLU, CONLLEVAL),
    *(PREFERENCES, COUNTS, TAGS, TABLE),
)
