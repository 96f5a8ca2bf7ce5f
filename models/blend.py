"""Two trainings of one network as one: the weighted mean of their weights.

If a network is trained further from another one's weights, on other people, the mean of both networks' weights is often
better than either: it performs well on the people of both.

Citation: Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from torch import Tensor

from rehabcount.models.checkpoint import read_checkpoint, write_checkpoint
from rehabcount.models.train import start_from, weights_sha256
from rehabcount.models.trained import load_trained


def blend(path: Path, other: Mapping[str, Tensor], share: float, folder: Path) -> Path:
    """A checkpoint in `folder` with `share` of the checkpoint's chosen weights and the rest of `other`'s. A head that
    `other` lacks is the checkpoint's."""
    if not 0 <= share <= 1:
        raise ValueError(f"share must lie in 0..1, not {share}")
    network = load_trained(path).network
    own = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    start_from(network, other)  # refuses weights of another shape
    blended = {
        name: share * own[name] + (1 - share) * tensor if tensor.is_floating_point() else tensor
        for name, tensor in network.state_dict().items()
    }
    kept = read_checkpoint(path)
    about = {**kept.about, "blended": {"share": share, "with_sha256": weights_sha256(other)}}
    out = folder / "checkpoint.pt"
    write_checkpoint(out, replace(kept, about=about, weights=blended, best=blended))
    return out
