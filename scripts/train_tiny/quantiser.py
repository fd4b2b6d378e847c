"""Residual vector quantiser: latent -> straight-through vectors, codes, commitment loss, and codebook statistics.

The books quantise a normalised latent: every dimension centred and divided by its running deviation. The gradient is
that of batch normalisation (batch renormalisation, Ioffe 2017), so no loss can shrink, stretch or shift the latent as a
whole, which is how it once collapsed to a constant; and the books need not chase its scale. export.py folds mean and
deviation into `input_proj` and the encoder's first book, which is exact.

Codebooks follow exponential averages. A step only gathers statistics (so it can be recorded as a CUDA graph and
summed over the GPUs); `update` then moves the codebooks and revives dead entries.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

SETTLED_STEPS = 100  # an entry revived more recently says nothing about how well a book is used
LEAST_VARIANCE = 1e-8


class Quantised(NamedTuple):
    vectors: torch.Tensor  # [B, D, T], what the decoder gets
    codes: torch.Tensor  # [books, B, T]
    commitment: torch.Tensor  # energy left after each book over the latent's, mean over the books
    explained: torch.Tensor  # 1 - energy left after all books over the latent's
    statistics: torch.Tensor  # [books, K, D + 1], sums and counts for `update`
    rows: torch.Tensor  # [books, B x T, D], what each book was given
    moments: torch.Tensor  # [2, D], mean and variance of the latent before normalisation
    correlation: torch.Tensor  # how much the dimensions say the same: sum of squared correlations a dimension


def nearest(vectors, codebook):  # [N, D], [K, D] -> [N]
    distance = codebook.pow(2).sum(-1)[None] - 2 * vectors @ codebook.t()
    return distance.argmin(-1)


def correlation(z):
    """[N, D] -> mean over the dimensions of their squared correlations with all others; 0 when they are independent."""
    centred = z - z.mean(0)
    unit = centred / (centred.pow(2).sum(0, keepdim=True) + LEAST_VARIANCE).sqrt()
    return (unit.t() @ unit).fill_diagonal_(0).pow(2).sum(1).mean()


class ResidualQuantiser(nn.Module):
    def __init__(self, books, entries, dim, hidden):
        super().__init__()
        self.input_proj = nn.Conv1d(hidden, dim, 1, bias=False)
        self.register_buffer("codebooks", torch.randn(books, entries, dim))
        self.register_buffer("counts", torch.ones(books, entries))
        self.register_buffer("sums", torch.randn(books, entries, dim))
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("deviation", torch.ones(dim))
        self.register_buffer("age", torch.zeros(books, entries), persistent=False)

    def raw(self, latent):  # [B, H, T] -> [B, T, D], in float32
        with torch.autocast(latent.device.type, enabled=False):
            return self.input_proj(latent.float()).transpose(1, 2)

    def project(self, latent):
        return (self.raw(latent) - self.mean) / self.deviation

    def _renormalised(self, raw):
        """Value: by the running moments, as when encoding. Gradient: as if by those of the batch."""
        mean = raw.mean((0, 1))
        variance = raw.var((0, 1), unbiased=False) + LEAST_VARIANCE
        deviation = variance.sqrt()
        by_batch = (raw - mean) / deviation
        scale = (deviation / self.deviation).detach()
        shift = ((mean - self.mean) / self.deviation).detach()
        return by_batch * scale + shift, torch.stack([mean, variance]).detach()

    def forward(self, latent, continuous=False, books=None, unquantised=None):
        """latent [B, H, T]; `books` [B]: how many of the books a clip gets; `unquantised` [B]: clips that skip them."""
        raw = self.raw(latent)
        B, T, D = raw.shape
        with torch.autocast(latent.device.type, enabled=False):
            z, moments = self._renormalised(raw)
            residual = z.reshape(B * T, D)
            shared = correlation(residual)
            energy = (residual - residual.mean(0)).pow(2).mean().detach() + LEAST_VARIANCE
            total = torch.zeros_like(residual)
            lost, codes, statistics, rows = [], [], [], []
            for book, codebook in enumerate(self.codebooks):
                index = nearest(residual.detach(), codebook)
                vector = F.embedding(index, codebook)
                statistics.append(self._statistics(residual.detach(), index))
                rows.append(residual.detach())
                residual = residual - vector
                lost.append(residual.pow(2).mean() / energy)
                given = vector if books is None else vector * (books > book).repeat_interleave(T)[:, None]
                total = total + given
                codes.append(index)
            # One identity gradient from the sum: a sum of per-book identities would multiply it by the books.
            vectors = z if continuous else z + (total.view(B, T, D) - z).detach()
            if unquantised is not None and not continuous:
                vectors = torch.where(unquantised[:, None, None], z, vectors)
        return Quantised(
            vectors.transpose(1, 2),
            torch.stack(codes).view(-1, B, T),
            z.new_zeros(()) if continuous else torch.stack(lost).mean(),
            # Far below zero it says no more, and a running mean of it would not recover.
            (1 - lost[-1].detach()).clamp(min=-1.0),
            torch.stack(statistics),
            torch.stack(rows),
            moments,
            shared,
        )

    def _statistics(self, vectors, index):
        counted = torch.cat([vectors, torch.ones_like(vectors[:, :1])], 1)
        zero = counted.new_zeros(self.codebooks.shape[1], counted.shape[1])
        return zero.index_add(0, index, counted)

    @torch.no_grad()
    def measure(self, latent):
        """Set the moments to those of [N, H, T]."""
        raw = self.raw(latent).flatten(0, 1)
        self.mean.copy_(raw.mean(0))
        self.deviation.copy_((raw.var(0, unbiased=False) + LEAST_VARIANCE).sqrt())

    @torch.no_grad()
    def follow(self, moments, decay):
        """moments [2, D], averaged over the GPUs."""
        self.mean.lerp_(moments[0], 1 - decay)
        self.deviation.lerp_(moments[1].sqrt(), 1 - decay)

    @torch.no_grad()
    def update(self, statistics, spares, decay, revive_below=0.06):
        """statistics [books, K, D + 1] summed over all GPUs; spares [books, K, D] are vectors for dead entries."""
        self.sums.lerp_(statistics[..., :-1], 1 - decay)
        self.counts.lerp_(statistics[..., -1], 1 - decay)
        mean = self.counts.mean(-1, keepdim=True)
        dead = self.counts < revive_below * mean
        fresh = 0.3 * mean
        self.counts.copy_(torch.where(dead, fresh, self.counts))
        self.sums.copy_(torch.where(dead[..., None], spares * fresh[..., None], self.sums))
        self.codebooks.copy_(self.sums / self.counts.clamp(min=1e-5)[..., None])
        self.age.add_(1).masked_fill_(dead, 0)

    @torch.no_grad()
    def perplexity(self):
        """[books]: how many entries are in even use, those revived lately left out."""
        counts = self.counts * (self.age > SETTLED_STEPS)
        share = counts / counts.sum(-1, keepdim=True).clamp(min=1e-5)
        return torch.special.entr(share).sum(-1).exp()

    @torch.no_grad()
    def fit(self, latent, vectors_per_step, iterations=12):
        """k-means of every book on the running residual of [N, H, T]; the counts are set as a step would see them."""
        self.measure(latent)
        z = self.project(latent).flatten(0, 1)
        entries = self.codebooks.shape[1]
        for book in range(len(self.codebooks)):
            codebook = z[torch.randint(0, len(z), (entries,), device=z.device)].clone()
            for _ in range(iterations):
                statistics = self._statistics(z, nearest(z, codebook))
                count = statistics[:, -1:]
                spare = z[torch.randint(0, len(z), (entries,), device=z.device)]
                codebook = torch.where(count > 0, statistics[:, :-1] / count.clamp(min=1), spare)
            index = nearest(z, codebook)
            count = self._statistics(z, index)[:, -1].clamp(min=1) / len(z) * vectors_per_step
            self.codebooks[book].copy_(codebook)
            self.counts[book].copy_(count)
            self.sums[book].copy_(codebook * count[:, None])
            z = z - F.embedding(index, codebook)
        self.age.fill_(SETTLED_STEPS + 1)

    @torch.autocast("cuda", enabled=False)  # nearest entries in float32, as in training
    @torch.autocast("cpu", enabled=False)
    def codes(self, latent):  # [B, H, T] -> [B, books, T]
        z = self.project(latent)
        B, T, D = z.shape
        residual = z.reshape(B * T, D)
        codes = []
        for codebook in self.codebooks:
            index = nearest(residual, codebook)
            residual = residual - F.embedding(index, codebook)
            codes.append(index.view(B, T))
        return torch.stack(codes, 1)

    def vectors(self, codes):  # [B, books, T] -> [B, D, T]
        return sum(F.embedding(codes[:, book], codebook) for book, codebook in enumerate(self.codebooks)).transpose(
            1, 2
        )
