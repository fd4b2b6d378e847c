"""Make clean speech sound like a recording at home, as the encoder will hear it: noise, room, microphone, bandwidth.

The decoder still learns the clean sound, so that the codes of a poor recording are those of a better one.
"""

import math

import torch

SAMPLE_RATE = 24000
CLEAN_SHARE = 0.6
NOISE_SHARE, ROOM_SHARE, NARROW_SHARE, TILT_SHARE = 0.6, 0.4, 0.4, 0.6
ROOM_SECONDS = 0.35
QUIETEST_NOISE_DB, LOUDEST_NOISE_DB = -50.0, -15.0  # under the speech
NARROWEST_HZ, WIDEST_HZ = 3400.0, 10000.0
MOST_TILT_DB = 9.0  # over the whole range, up or down
LOUDEST_CHANGE_DB = 12.0


def level(audio):
    """[B, N] -> the same at random levels; encoder and decoder both get it."""
    change = (torch.rand(len(audio), 1, device=audio.device) * 2 - 1) * LOUDEST_CHANGE_DB
    change = torch.minimum(change, -20 * (audio.abs().amax(1, keepdim=True) + 1e-4).log10() - 0.5)
    return audio * 10 ** (change / 20)


def _some(share, B, device):
    return (torch.rand(B, 1, device=device) < share).float()


def _room(B, device):
    """Spectrum-ready impulse responses [B, n]: the direct sound, then noise that dies away."""
    length = int(ROOM_SECONDS * SAMPLE_RATE)
    time = torch.arange(length, device=device) / SAMPLE_RATE
    decay = 0.02 + 0.10 * torch.rand(B, 1, device=device)
    tail = torch.randn(B, length, device=device) * torch.exp(-time / decay)
    tail[:, : int(0.002 * SAMPLE_RATE)] = 0
    tail = tail / tail.square().sum(1, keepdim=True).sqrt()
    tail = tail * _some(ROOM_SHARE, B, device) * (0.1 + 0.5 * torch.rand(B, 1, device=device))
    tail[:, 0] = 1
    return tail


@torch.no_grad()
def degrade(audio, clean_share=CLEAN_SHARE):  # [B, N] -> [B, N]
    B, N = audio.shape
    device = audio.device
    size = 2 ** math.ceil(math.log2(N + ROOM_SECONDS * SAMPLE_RATE))
    hertz = torch.fft.rfftfreq(size, 1 / SAMPLE_RATE, device=device)[None]
    octaves = (hertz.clamp(min=50) / 1000).log2()  # -4.3 to 3.6
    tilt_db = (torch.rand(B, 1, device=device) * 2 - 1) * MOST_TILT_DB / 8 * _some(TILT_SHARE, B, device)
    edge = NARROWEST_HZ * (WIDEST_HZ / NARROWEST_HZ) ** torch.rand(B, 1, device=device)
    edge = torch.where(_some(NARROW_SHARE, B, device) > 0, edge, 2.0 * SAMPLE_RATE)
    passed = torch.sigmoid((edge - hertz) / 100) * 10 ** (tilt_db * octaves / 20)
    spectrum = torch.fft.rfft(audio, size)
    colour = 10 ** ((torch.rand(B, 1, device=device) * 9 - 7) * octaves / 20)  # mostly falling with frequency
    noise = torch.fft.irfft(torch.fft.rfft(torch.randn(B, N, device=device), size) * colour, size)[:, :N]
    noise_db = QUIETEST_NOISE_DB + (LOUDEST_NOISE_DB - QUIETEST_NOISE_DB) * torch.rand(B, 1, device=device)
    loudness = audio.square().mean(1, keepdim=True).sqrt() * 10 ** (noise_db / 20) * _some(NOISE_SHARE, B, device)
    noise = noise * loudness / (noise.square().mean(1, keepdim=True).sqrt() + 1e-6)
    heard = spectrum * torch.fft.rfft(_room(B, device), size) + torch.fft.rfft(noise, size)
    heard = torch.fft.irfft(heard * passed, size)[:, :N].clamp(-1, 1)
    return torch.where(_some(clean_share, B, device) > 0, audio, heard)
