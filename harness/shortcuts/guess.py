"""How well two classifiers guess from text alone what will be needed.

One reads words and characters (TF-IDF, logistic regression), one counts shapes (gradient boosting). Both learn on some
instances and are judged on others, so nothing can be known by heart.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline, make_union
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from harness.shortcuts.units import Told

FOLDS = 5
Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """What is to be guessed, and from what. amount: how much of it is needed.

    Only samples of one stratum are compared with each other.
    """

    text: str
    shape: tuple[float, ...]
    amount: int
    label: bool
    stratum: int
    instance: str


@dataclass(frozen=True, slots=True)
class Guessed:
    """words, shapes: AUC of the two classifiers, 0.5 = chance. n: samples; share: those labelled as needed."""

    words: float
    shapes: float
    n: int
    share: float


def statements(found: Sequence[Told], exempt: bool) -> list[Sample]:
    """A sample a statement: is it needed? exempt: those of exempt kinds too."""
    return [
        Sample(one.text, _of_statement(told, n), int(one.needed), one.needed, 0, told.instance)
        for told in found
        for n, one in enumerate(told.statements)
        if exempt or not one.exempt
    ]


def messages(found: Sequence[Told], exempt: bool) -> list[Sample]:
    """A sample a message: is a greater part of its statements needed than usual?

    Whether it holds *anything* needed says little: a long message nearly always does, and costs as much more to
    keep. So messages are compared only with those that state equally much.
    """
    counted = [
        (told, len(kept), sum(one.needed for one in kept))
        for told in found
        if (kept := [one for one in told.statements if exempt or not one.exempt])
    ]
    usual = sum(needed for *_, needed in counted) / max(1, sum(size for _, size, _ in counted))
    return [
        Sample(told.text, _of_message(told), needed, needed > usual * size, size, told.instance)
        for told, size, needed in counted
    ]


def guess(samples: Sequence[Sample]) -> Guessed:
    """Raises ValueError for samples of a single instance, or with nothing or everything needed."""
    labels = np.array([sample.label for sample in samples])
    if not labels.any() or labels.all():
        raise ValueError(f"{int(labels.sum())} of {len(labels)} samples are needed: there is nothing to tell apart")
    text = np.array([sample.text for sample in samples], dtype=object)
    shape = np.array([sample.shape for sample in samples])
    return Guessed(_judged(_words, text, samples), _judged(_shapes, shape, samples), len(labels), float(labels.mean()))


def concordance(scores: Array, amounts: Array, strata: Array) -> float:
    """Of the pairs in one stratum of which one has more: how often it has the higher score; ties count half.

    With amounts 0 and 1 in a single stratum it is the area under the ROC curve. NaN without such a pair.
    """
    right = pairs = 0.0
    for stratum in np.unique(strata):
        here = strata == stratum
        score, amount = scores[here], amounts[here]
        more = amount[:, None] > amount[None, :]
        ahead = (score[:, None] > score[None, :]) + 0.5 * (score[:, None] == score[None, :])
        right += float(ahead[more].sum())
        pairs += float(more.sum())
    return right / pairs if pairs else float("nan")


def _judged(make: Callable[[], Any], features: Array, samples: Sequence[Sample]) -> float:
    """Scores of different folds are on different scales: each is judged within itself."""
    labels = np.array([sample.label for sample in samples])
    groups = np.array([sample.instance for sample in samples])
    scores, fold = np.zeros(len(samples)), np.zeros(len(samples), dtype=int)
    folds = GroupKFold(min(FOLDS, len(set(groups))))
    with threadpool_limits(1):
        for n, (learn, judge) in enumerate(folds.split(features, labels, groups)):
            fitted = make().fit(features[learn], labels[learn])
            scores[judge], fold[judge] = fitted.predict_proba(features[judge])[:, 1], n
    strata = np.array([sample.stratum for sample in samples])
    return concordance(scores, np.array([s.amount for s in samples]), strata * FOLDS + fold)


def _words() -> Any:
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, token_pattern=r"\S+")
    parts = TfidfVectorizer(analyzer="char", ngram_range=(1, 4), min_df=3, max_features=20_000)
    # a weak penalty, for in a long message a telltale word weighs little
    guesser = LogisticRegression(C=30, class_weight="balanced", solver="liblinear")
    return make_pipeline(make_union(words, parts), guesser)


def _shapes() -> Any:
    return HistGradientBoostingClassifier(max_iter=80, max_leaf_nodes=15, random_state=0)


def _of_statement(told: Told, n: int) -> tuple[float, ...]:
    """The shape of the statement, where it stands, and the company that it keeps."""
    one = told.statements[n]
    stated = len(told.statements)
    where = (one.place, one.of - 1 - one.place, one.of, n, stated - 1 - n, stated, told.role == "user")
    return (*shape(one.text), *map(float, where), float(len(told.text)))


def _of_message(told: Told) -> tuple[float, ...]:
    places = [one.place for one in told.statements]
    about = (len(places), told.statements[0].of, min(places), max(places), told.role == "user", told.text.count("\n"))
    return (*shape(told.text), *map(float, about))


def shape(text: str) -> tuple[float, ...]:
    """Lengths, and counts of kinds of characters; nothing of what the words say."""
    words = text.split()
    longest = max(map(len, words), default=0)
    kinds = (str.isdigit, str.isupper, str.islower, str.isspace)
    counts = [sum(map(kind, text)) for kind in kinds]
    marks = [text.count(mark) for mark in string.punctuation]
    ends = (text[:1].isupper(), text[:1].isdigit(), text[-1:].isalnum())
    return tuple(map(float, (len(text), len(words), longest, *counts, *ends, *marks)))
