"""Change the length of a vocal tract: resample a batch of audio, each item by a factor of its own.

The teacher speaks slower and lower by the same factor beforehand, so that only the resonances move: nothing has to be
stretched afterwards.
"""

import torch

TAPS = 48


def resample(audio, factors):
    """[B, N] and B factors -> [B, N'] where item b sounds `factor` times as fast and high, zeros behind its end."""
    B, N = audio.shape
    result = audio.new_zeros(B, int(N / min(factors)))
    offsets = torch.arange(TAPS, device=audio.device) - TAPS // 2 + 1
    for row, factor in enumerate(factors):
        length = int(N / factor)
        if factor == 1.0:
            result[row, :length] = audio[row]
            continue
        # In double precision: a float has no room for the fraction of a position in 25 s of audio.
        place = torch.arange(length, device=audio.device, dtype=torch.double) * factor
        whole = place.floor().long()
        distance = (place - whole).float()[:, None] - offsets
        cutoff = min(1.0, 1.0 / factor) * 0.98
        window = torch.cos(torch.pi * distance / (TAPS + 2)).square()
        kernel = cutoff * torch.sinc(cutoff * distance) * window
        index = whole[:, None] + offsets
        inside = (index >= 0) & (index < N)
        result[row, :length] = (audio[row][index.clamp(0, N - 1)] * inside * kernel).sum(-1)
    return result
