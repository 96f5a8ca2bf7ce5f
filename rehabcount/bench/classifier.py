"""scikit-learn's boosted trees, for benches that test whether two classes can be distinguished."""

from __future__ import annotations

from typing import Protocol, Self, cast

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.errors import MissingExtra


class Classifier(Protocol):
    def fit(self, values: Floats, labels: Floats | Ints) -> Self: ...

    def predict(self, values: Floats) -> Ints: ...


def boosted_trees(**settings: float | str | None) -> Classifier:
    """HistGradientBoostingClassifier with these settings; MissingExtra where scikit-learn is not installed."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as error:
        raise MissingExtra("scikit-learn", "bench") from error
    return cast(Classifier, HistGradientBoostingClassifier(**settings))


def area_under_curve(truth: Floats, values: Floats) -> float:
    """How well the values alone separate the two classes."""
    try:
        from sklearn.metrics import roc_auc_score
    except ImportError as error:
        raise MissingExtra("scikit-learn", "bench") from error
    return float(roc_auc_score(truth, values))
