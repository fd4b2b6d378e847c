"""A model that tells people apart (Resemblyzer, Apache-2.0), as a teacher of our speaker encoder.

It has heard some thousand people where our own recordings hold sixty: what it hears in a clip is what our vector must
tell, so that people it never heard have vectors near those of synthetic speakers who sound like them.

Wan et al. 2018, Generalized End-to-End Loss for Speaker Verification: a mel of 40 bands, three LSTM layers, a vector of
256 for every 1.6 seconds, averaged.
"""

import torch
import torch.nn.functional as F
from sizes import SAMPLE_RATE
from speaker_model import mel_filters
from torch import nn

RATE, WINDOW, HOP, BANDS = 16000, 400, 160, 40
PIECE, PIECE_HOP = 160, 80  # mel frames
LEAST_RMS = 10 ** (-30 / 20)  # quieter speech is raised to it


class Listener(nn.Module):
    VECTOR = 256

    def __init__(self, weights):
        """weights: the `pretrained.pt` of the package Resemblyzer 0.1.4."""
        super().__init__()
        self.lstm = nn.LSTM(BANDS, self.VECTOR, 3, batch_first=True)
        self.linear = nn.Linear(self.VECTOR, self.VECTOR)
        state = torch.load(weights, map_location="cpu", weights_only=True)
        state = state.get("model_state", state)
        self.load_state_dict(
            {name: value.float() for name, value in state.items() if name.split(".")[0] in self._modules}
        )
        self.requires_grad_(False)
        self.register_buffer("filters", mel_filters(WINDOW, BANDS, RATE / 2, RATE), persistent=False)
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)

    def mel(self, audio):  # [B, N] at 16 kHz -> [B, frames, BANDS]: power, no logarithm
        padded = F.pad(audio, (WINDOW // 2, WINDOW // 2))
        spectrum = torch.stft(padded, WINDOW, HOP, WINDOW, self.window, center=False, return_complex=True)
        return (self.filters @ (spectrum.real.square() + spectrum.imag.square())).transpose(1, 2)

    @torch.no_grad()
    def forward(self, audio):  # [B, N] at 24 kHz, at least 1.6 seconds -> [B, VECTOR] of length 1
        count = audio.shape[1] * RATE // SAMPLE_RATE
        spectrum = torch.fft.rfft(audio.float())[:, : count // 2 + 1]
        audio = torch.fft.irfft(spectrum, count) * (RATE / SAMPLE_RATE)
        rms = audio.square().mean(1, keepdim=True).sqrt()
        audio = audio * (LEAST_RMS / rms.clamp(min=1e-6)).clamp(min=1)
        pieces = self.mel(audio).unfold(1, PIECE, PIECE_HOP).transpose(2, 3)  # [B, pieces, PIECE, BANDS]
        B, P = pieces.shape[:2]
        _, (hidden, _) = self.lstm(pieces.flatten(0, 1).contiguous())
        vectors = F.normalize(F.relu(self.linear(hidden[-1])), dim=1).view(B, P, -1)
        return F.normalize(vectors.mean(1), dim=1)
