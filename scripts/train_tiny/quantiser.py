"""Residual vector quantiser: latent -> straight-through vectors, codes, commitment loss, and codebook statistics.

Codebooks follow exponential averages. A step only gathers statistics (so it can be recorded as a CUDA graph and
summed over the GPUs); `update` then moves the codebooks and revives dead entries.
"""

import torch
import torch.nn.functional as F
from torch import nn


def nearest(vectors, codebook):  # [N, D], [K, D] -> [N]
    distance = codebook.pow(2).sum(-1)[None] - 2 * vectors @ codebook.t()
    return distance.argmin(-1)


class ResidualQuantiser(nn.Module):
    def __init__(self, books, entries, dim, hidden):
        super().__init__()
        self.input_proj = nn.Conv1d(hidden, dim, 1, bias=False)
        self.register_buffer("codebooks", torch.randn(books, entries, dim))
        self.register_buffer("counts", torch.ones(books, entries))
        self.register_buffer("sums", torch.randn(books, entries, dim))

    def project(self, latent):  # [B, H, T] -> [B, T, D], in float32
        with torch.autocast(latent.device.type, enabled=False):
            return self.input_proj(latent.float()).transpose(1, 2)

    def forward(self, latent, continuous=False):
        """[B, H, T] -> vectors [B, D, T], codes [books, B, T], commitment, statistics [books, K, D + 1], rows."""
        z = self.project(latent)
        B, T, D = z.shape
        with torch.autocast(latent.device.type, enabled=False):
            residual = z.reshape(B * T, D)
            commitment = residual.new_zeros(())
            total = torch.zeros_like(residual)
            codes, statistics, rows = [], [], []
            for codebook in self.codebooks:
                index = nearest(residual.detach(), codebook)
                vector = F.embedding(index, codebook)
                statistics.append(self._statistics(residual.detach(), index))
                rows.append(residual.detach())
                commitment = commitment + F.mse_loss(residual, vector)
                residual = residual - vector
                total = total + vector
                codes.append(index)
            # One identity gradient from the sum: a sum of per-book identities would multiply it by the books.
            vectors = z if continuous else z + (total.view(B, T, D) - z).detach()
            if continuous:
                commitment = commitment * 0
        return (
            vectors.transpose(1, 2),
            torch.stack(codes).view(-1, B, T),
            commitment,
            torch.stack(statistics),
            torch.stack(rows),
        )

    def _statistics(self, vectors, index):
        counted = torch.cat([vectors, torch.ones_like(vectors[:, :1])], 1)
        zero = counted.new_zeros(self.codebooks.shape[1], counted.shape[1])
        return zero.index_add(0, index, counted)

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

    @torch.no_grad()
    def fit(self, latent, vectors_per_step, iterations=12):
        """k-means of every book on the running residual of [N, H, T]; the counts are set as a step would see them."""
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
