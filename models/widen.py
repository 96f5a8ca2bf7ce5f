"""A wider `stream` that begins as the narrower one it comes from: nothing learned is lost, and there is more room.

In: a network with fresh weights, and the weights of one with fewer hidden values. Out: weights of the wider network
that give the same scores. The values that are new keep their fresh weights from the input; no old value and no head
listens to them yet, so training decides what they become.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from rehabcount.models.network import Network

GATES = 3  # of a GRU, one behind the other in each of its tensors


def widened(network: Network, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """`weights`, filled up where a wider GRU or its heads need more. Others stay as they are, also wrong ones."""
    fresh = network.state_dict()
    found = dict(weights)
    for name, old in weights.items():
        new = fresh.get(name)
        if new is None or new.shape == old.shape or new.ndim != old.ndim:
            continue
        if any(more < less for more, less in zip(new.shape, old.shape, strict=True)):
            continue
        if name.startswith("grus."):
            found[name] = _gru(new, old, first="weight_ih_l0" in name and name.startswith("grus.0."))
        elif name.endswith(".weight") and new.ndim == 2 and new.shape[0] == old.shape[0]:
            wide = new.new_zeros(new.shape)
            wide[:, : old.shape[1]] = old
            found[name] = wide
    return found


def _gru(new: Tensor, old: Tensor, *, first: bool) -> Tensor:
    """Each gate's old rows, then its fresh ones. Old rows hear nothing from what is new."""
    wide = new.clone()
    size, before = new.shape[0] // GATES, old.shape[0] // GATES
    for gate in range(GATES):
        rows = slice(gate * size, gate * size + before)
        if old.ndim == 2 and not first:
            wide[rows] = 0.0
            wide[rows, : old.shape[1]] = old[gate * before : (gate + 1) * before]
        else:
            wide[rows] = old[gate * before : (gate + 1) * before]
    return wide
