"""Raw2seq: a window of motion -> the sequence of movements in its centre, one label after the other.

Kaku et al., StrokeRehab, NeurIPS 2022. A pyramidal bidirectional GRU halves time at every layer. A GRU decoder emits
labels until END. Its input at each step is its previous label and a context, which is the mean of the encoding or the
result of attention. The first previous label is the last one before the window.

A frame head on the encoding gives each token its time: the emitted sequence is laid over the frame scores where it fits
best (`align_tokens`). Its loss is added with weight 0.5; in the authors' code that loss is commented out. An onset head
of our own finds the begin of the second of two equal labels, which label scores do not show.

Departures from the authors' code, in favour of their paper: the previous label is the true one in training (theirs is
always idle); padding is not part of the loss; the output is never cut to the reference's length; windows cover the
whole trial, its first second included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rehabcount.inference.spans import Span, align_tokens
from rehabcount.models.batches import Batch, frames_of
from rehabcount.models.network import ONSET_PRIOR_LOGIT, Estimate, Network, onset_loss, smoothed_targets

LOWEST_TEACHER_FORCING = 0.05  # the authors' bound
FRAME_LOSS_WEIGHT = 0.5
ONSET_LOSS_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Raw2seqSettings:
    width: int
    labels: int
    hidden: int = 128
    layers: int = 2  # for 50 steps a second; the authors have 3 for 100
    attention: bool = True
    heads: int = 2
    key: int = 64
    dropout: float = 0.2
    label_smoothing: float = 0.1
    length: int = 600  # steps of a window
    margin: int = 100  # context on both sides of the centre
    max_tokens: int = 20  # a window of 4 s never held more than 35 labels in the authors' data; 20 is ample for 4 s


PRESETS: dict[str, dict[str, float]] = {
    "default": {},
    "tiny": {"hidden": 8, "key": 4},
    "paper": {"hidden": 3072, "layers": 3, "attention": False, "dropout": 0.0, "max_tokens": 35},
    "authors": {"hidden": 256, "layers": 3, "heads": 4, "key": 256, "dropout": 0.0, "max_tokens": 35},
}


class Encoder(nn.Module):
    """Pairs of neighbouring steps are joined before every layer, so time halves."""

    def __init__(self, width: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.halvings = layers
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            [
                nn.GRU(2 * (width if i == 0 else 2 * hidden), hidden, batch_first=True, bidirectional=True)
                for i in range(layers)
            ]
        )

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = x.reshape(x.shape[0], x.shape[1] // 2, 2 * x.shape[2])
            x = self.dropout(layer(x)[0])
        return x  # (batch, steps / 2^layers, 2 hidden)


class Attention(nn.Module):
    """What the decoder's state asks for: `heads` queries against one set of keys."""

    def __init__(self, hidden: int, heads: int, key: int) -> None:
        super().__init__()
        self.heads, self.key_size = heads, key
        self.query, self.key = nn.Linear(hidden, heads * key), nn.Linear(hidden, key)
        self.join = nn.Linear(heads * hidden, hidden)

    def forward(self, state: Tensor, encoded: Tensor, keys: Tensor) -> Tensor:
        query = torch.relu(self.query(state)).reshape(-1, self.heads, self.key_size)
        weight = torch.softmax(query @ keys.transpose(1, 2), dim=2)  # (batch, heads, steps)
        return self.join((weight @ encoded).reshape(state.shape[0], -1))

    def keys_of(self, encoded: Tensor) -> Tensor:
        return torch.relu(self.key(encoded))  # (batch, steps, key)


class Raw2seq(Network):
    def __init__(self, settings: Raw2seqSettings) -> None:
        super().__init__()
        s = self.settings = settings
        self.end, self.symbols = s.labels, s.labels + 1  # END as an output; as a first input it means "no label before"
        wide = 2 * s.hidden
        self.encoder = Encoder(s.width, s.hidden, s.layers, s.dropout)
        self.frames, self.onset = nn.Linear(wide, s.labels), nn.Linear(wide, 1)
        nn.init.constant_(self.onset.bias, ONSET_PRIOR_LOGIT)
        self.attend = Attention(wide, s.heads, s.key) if s.attention else None
        self.cell = nn.GRUCell(self.symbols + wide, wide)
        self.out = nn.Linear(2 * wide, self.symbols)
        self.dropout = nn.Dropout(s.dropout)

    @property
    def steps_per_frame(self) -> int:
        return 2**self.settings.layers

    def forward(self, inputs: Tensor, previous: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Greedy: symbol log-probabilities (batch, max_tokens, symbols); of frames: log-probabilities, onset logits."""
        encoded = self.encoder(self.padded(inputs))
        scores = self.decode(encoded, previous, None, self.settings.max_tokens)
        return scores, *self.frame_scores(encoded)

    def frame_scores(self, encoded: Tensor) -> tuple[Tensor, Tensor]:
        return torch.log_softmax(self.frames(encoded), dim=2), self.onset(encoded)[:, :, 0]

    def padded(self, inputs: Tensor) -> Tensor:
        missing = -inputs.shape[1] % self.steps_per_frame
        return nn.functional.pad(inputs, (0, 0, 0, missing)) if missing else inputs

    def decode(self, encoded: Tensor, previous: Tensor, teacher: Tensor | None, steps: int) -> Tensor:
        """Log-probabilities of `steps` symbols; fed with the teacher's symbols, or with its own best ones."""
        keys = self.attend.keys_of(encoded) if self.attend is not None else encoded
        mean = encoded.mean(dim=1)
        state = torch.zeros_like(mean)
        context, symbol, out = mean, previous, []
        for step in range(steps):
            one_hot = nn.functional.one_hot(symbol, self.symbols).to(encoded.dtype)
            state = self.cell(torch.cat([one_hot, context], dim=1), state)
            if self.attend is not None:
                context = self.attend(state, encoded, keys)
            scores = torch.log_softmax(self.out(self.dropout(torch.cat([state, context], dim=1))), dim=1)
            out.append(scores)
            symbol = teacher[:, step] if teacher is not None else scores.argmax(dim=1)
        return torch.stack(out, dim=1)  # (batch, steps, symbols)

    def loss(self, batch: Batch, progress: float) -> Tensor:
        s = self.settings
        encoded = self.encoder(self.padded(batch.inputs))
        number = (batch.tokens >= 0).sum(dim=1, keepdim=True)
        target = torch.cat([batch.tokens, batch.tokens.new_full((len(batch.tokens), 1), -1)], dim=1)
        target = target.scatter(1, number, self.end)[:, : s.max_tokens]  # END behind the last; -1 is not scored
        forced = bool(torch.rand(()) < 1 - (1 - LOWEST_TEACHER_FORCING) * progress)  # one coin a batch, as the authors
        teacher = target.clamp(min=0) if forced else None
        scores = self.decode(encoded, batch.previous, teacher, target.shape[1])
        sequence = smoothed_targets(scores.transpose(1, 2), target, s.label_smoothing)
        labels, onsets = frames_of(batch, self.steps_per_frame)
        logits = self.frames(encoded)[:, : labels.shape[1]].transpose(1, 2)
        frames = smoothed_targets(logits, labels, s.label_smoothing)
        begins = onset_loss(self.onset(encoded)[:, : labels.shape[1], 0], onsets, labels)
        return sequence + FRAME_LOSS_WEIGHT * frames + ONSET_LOSS_WEIGHT * begins

    def estimate(self, inputs: NDArray[np.float32]) -> Estimate:
        return estimate_by_windows(self, inputs)


def windows_of(inputs: NDArray[np.float32], length: int, margin: int) -> NDArray[np.float32]:
    """Windows whose centres tile the trial: (windows, length, width), zeros outside the trial."""
    centre = length - 2 * margin
    number = max(1, -(-len(inputs) // centre))
    padded = np.zeros((number * centre + 2 * margin, inputs.shape[1]), np.float32)
    padded[margin : margin + len(inputs)] = inputs
    return np.stack([padded[i * centre : i * centre + length] for i in range(number)])


def tokens_of(scores: NDArray[np.float32], end: int) -> list[int]:
    """The symbols before the first END."""
    symbols = scores.argmax(axis=1).tolist()
    return symbols[: symbols.index(end)] if end in symbols else symbols


def estimate_by_windows(network: Raw2seq, inputs: NDArray[np.float32]) -> Estimate:
    """Window after window; each starts from the last label before it; what goes on past a border is one movement."""
    s, per = network.settings, network.steps_per_frame
    centre, lead = s.length - 2 * s.margin, s.margin // per
    windows = torch.from_numpy(windows_of(inputs, s.length, s.margin))
    spans, previous = list[Span](), network.end
    frames = -(-len(inputs) // per)
    all_scores = np.zeros((frames, s.labels), np.float32)
    with torch.no_grad():
        encoded = network.encoder(network.padded(windows))
        scores, begins = (each.numpy() for each in network.frame_scores(encoded))  # (windows, steps / per, ...)
        for i in range(len(windows)):
            first = i * centre // per
            number = min(frames, (i + 1) * centre // per if i + 1 < len(windows) else frames) - first
            inside = scores[i, lead : lead + number]
            all_scores[first : first + len(inside)] = inside
            symbols = network.decode(encoded[i : i + 1], torch.tensor([previous]), None, s.max_tokens)[0].numpy()
            tokens = tokens_of(symbols, network.end)[: max(len(inside), 1)]
            here = align_tokens(tokens, inside, begins[i, lead : lead + number]) if len(inside) else []
            if here and spans and here[0].label == spans[-1].label:
                # The paper removes duplicates at the borders of windows. Within a window a repeat is a repeat.
                spans[-1] = Span(spans[-1].label, spans[-1].start, first + here[0].end)
                here = here[1:]
            spans += [Span(span.label, first + span.start, first + span.end) for span in here]
            previous = tokens[-1] if tokens else previous
    return Estimate(tuple(spans), all_scores, steps_per_frame=per)
