"""Kokoro-82M in plain PyTorch, batched, for making training audio quickly.

A batch holds items of equal length, so no masks are needed and every item comes out as it would
alone: `prosody` takes items with the same number of phonemes, `audio` items with the same number
of frames. The architecture is StyleTTS 2's with an iSTFT generator; weights come from
kokoro_weights.py, where weight norm is already folded.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SAMPLE_RATE = 24000
SAMPLES_PER_FRAME = 600  # durations count frames of 25 ms
ALBERT_LAYERS, ALBERT_HEADS = 12, 12
HARMONICS = 9
ISTFT_SIZE, ISTFT_HOP = 20, 5
UPSAMPLINGS = ((10, 20), (6, 12))  # rate, kernel
RESBLOCK_KERNELS = (3, 7, 11)
NOISE_KERNELS = (7, 11)
DILATIONS = (1, 3, 5)
SINE_LEVEL, VOICED_NOISE, VOICED_ABOVE_HZ = 0.1, 0.003, 10.0


def normalising_affine(x: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
    """Scale and shift that instance-normalise x and then apply the style's gain and bias."""
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    scale = (1 + gamma) * torch.rsqrt(variance + 1e-5)
    return scale, beta - mean * scale


def affine_snake(x: Tensor, scale: Tensor, shift: Tensor, alpha: Tensor) -> Tensor:
    y = x * scale + shift
    return y + torch.sin(alpha * y).square() / alpha


def affine_leaky(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    return F.leaky_relu(x * scale + shift, 0.2)


class Kokoro:
    """noise=False leaves out the random part of the source, as the ONNX export does."""

    def __init__(self, weights: dict[str, Tensor], device: str = "cpu", noise: bool = True, compiled: bool = False):
        self.weights = {name: tensor.to(device) for name, tensor in weights.items()}
        self.device, self.noise = device, noise
        self.window = torch.hann_window(ISTFT_SIZE, device=device)
        self.lstms = {name.removesuffix(".weight_ih_l0"): None for name in weights if name.endswith("weight_ih_l0")}
        for name in self.lstms:
            self.lstms[name] = self._lstm(name)
        # Elementwise chains are most of the memory traffic of the generator; fused they cost one pass.
        self.snake = torch.compile(affine_snake, dynamic=True) if compiled else affine_snake

    def _lstm(self, name: str) -> nn.LSTM:
        hidden, inputs = self.weights[f"{name}.weight_hh_l0"].shape[1], self.weights[f"{name}.weight_ih_l0"].shape[1]
        module = nn.LSTM(inputs, hidden, batch_first=True, bidirectional=True, device=self.device)
        prefix = name + "."
        module.load_state_dict(
            {key.removeprefix(prefix): value for key, value in self.weights.items() if key.startswith(prefix)}
        )
        return module.eval().requires_grad_(False)

    # -- layers by name

    def linear(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def conv(self, name: str, x: Tensor, **options) -> Tensor:
        return F.conv1d(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"), **options)

    def layer_norm(self, name: str, x: Tensor, eps: float = 1e-12, gain: str = "weight", bias: str = "bias") -> Tensor:
        return F.layer_norm(x, x.shape[-1:], self.weights[f"{name}.{gain}"], self.weights[f"{name}.{bias}"], eps)

    def style_gain(self, name: str, style: Tensor) -> tuple[Tensor, Tensor]:
        gamma, beta = self.linear(name + ".fc", style).unsqueeze(-1).chunk(2, dim=1)
        return gamma, beta

    def affine(self, name: str, x: Tensor, style: Tensor) -> tuple[Tensor, Tensor]:
        return normalising_affine(x, *self.style_gain(name, style))

    def style_block(self, name: str, x: Tensor, style: Tensor) -> Tensor:
        """Residual block with two style-normalised convolutions; doubles the rate where it has a `pool`."""
        shortcut = x
        y = affine_leaky(x, *self.affine(name + ".norm1", x, style))
        if name + ".pool.weight" in self.weights:
            y = F.conv_transpose1d(
                y,
                self.weights[name + ".pool.weight"],
                self.weights[name + ".pool.bias"],
                stride=2,
                padding=1,
                output_padding=1,
                groups=y.shape[1],
            )
            shortcut = shortcut.repeat_interleave(2, dim=-1)
        y = self.conv(name + ".conv1", y, padding=1)
        y = affine_leaky(y, *self.affine(name + ".norm2", y, style))
        y = self.conv(name + ".conv2", y, padding=1)
        if name + ".conv1x1.weight" in self.weights:
            shortcut = self.conv(name + ".conv1x1", shortcut)
        return (y + shortcut) * 0.5**0.5

    def snake_block(self, name: str, x: Tensor, style: Tensor, kernel: int) -> Tensor:
        for index, dilation in enumerate(DILATIONS):
            y = x
            for half, spread in (("1", dilation), ("2", 1)):
                scale, shift = self.affine(f"{name}.adain{half}.{index}", y, style)
                y = self.snake(y, scale, shift, self.weights[f"{name}.alpha{half}.{index}"])
                y = self.conv(f"{name}.convs{half}.{index}", y, padding=(kernel - 1) * spread // 2, dilation=spread)
            x = x + y
        return x

    # -- stages

    def albert(self, ids: Tensor) -> Tensor:
        embeddings = "bert.embeddings."
        x = self.weights[embeddings + "word_embeddings.weight"][ids]
        x = x + self.weights[embeddings + "position_embeddings.weight"][: ids.shape[1]]
        x = x + self.weights[embeddings + "token_type_embeddings.weight"][0]
        x = self.linear("bert.encoder.embedding_hidden_mapping_in", self.layer_norm(embeddings + "LayerNorm", x))
        layer = "bert.encoder.albert_layer_groups.0.albert_layers.0"
        for _ in range(ALBERT_LAYERS):
            query, key, value = (
                self.linear(f"{layer}.attention.{part}", x).unflatten(-1, (ALBERT_HEADS, -1)).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            attended = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(-2)
            x = self.layer_norm(layer + ".attention.LayerNorm", x + self.linear(layer + ".attention.dense", attended))
            y = self.linear(layer + ".ffn_output", F.gelu(self.linear(layer + ".ffn", x), approximate="tanh"))
            x = self.layer_norm(layer + ".full_layer_layer_norm", y + x)
        return x

    @torch.no_grad()
    def prosody(self, ids: Tensor, style: Tensor, speed: Tensor | float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
        """ids [batch, n], style [batch, 256], speed [batch, 1] or one for all -> durations [batch, n], features
        [.., n, 640] and text [.., n, 512]."""
        spoken_style = style[:, 128:]
        repeated = spoken_style.unsqueeze(1).expand(-1, ids.shape[1], -1)
        x = torch.cat([self.linear("bert_encoder", self.albert(ids)), repeated], dim=-1)
        for index in (0, 2, 4):
            x, _ = self.lstms[f"predictor.text_encoder.lstms.{index}"](x)
            gamma, beta = self.style_gain(f"predictor.text_encoder.lstms.{index + 1}", spoken_style)
            x = F.layer_norm(x, x.shape[-1:], eps=1e-5) * (1 + gamma.transpose(1, 2)) + beta.transpose(1, 2)
            x = torch.cat([x, repeated], dim=-1)
        hidden, _ = self.lstms["predictor.lstm"](x)
        lengths = torch.sigmoid(self.linear("predictor.duration_proj.linear_layer", hidden)).sum(-1) / speed
        text = self.weights["text_encoder.embedding.weight"][ids]
        for index in range(3):
            text = self.conv(f"text_encoder.cnn.{index}.0", text.transpose(1, 2), padding=2).transpose(1, 2)
            text = self.layer_norm(f"text_encoder.cnn.{index}.1", text, 1e-5, "gamma", "beta")
            text = F.leaky_relu(text, 0.2)
        text, _ = self.lstms["text_encoder.lstm"](text)
        return lengths.round().clamp(min=1).long(), x, text

    def pitch_and_energy(self, features: Tensor, style: Tensor) -> tuple[Tensor, Tensor]:
        shared, _ = self.lstms["predictor.shared"](features)
        curves = []
        for kind in ("F0", "N"):
            x = shared.transpose(1, 2)
            for index in range(3):
                x = self.style_block(f"predictor.{kind}.{index}", x, style)
            curves.append(self.conv(f"predictor.{kind}_proj", x))
        return curves[0], curves[1]

    def source(self, pitch: Tensor) -> Tensor:
        """Pitch [batch, 1, 2 T] at 80 Hz -> excitation [batch, 600 T]: nine harmonics and noise."""
        step = SAMPLES_PER_FRAME // 2
        cycles = torch.cumsum(pitch.double() * (step / SAMPLE_RATE), dim=-1)
        cycles = F.interpolate(cycles, scale_factor=step, mode="linear").frac().float()
        orders = torch.arange(1, HARMONICS + 1, device=cycles.device).view(1, -1, 1)
        voiced = (pitch > VOICED_ABOVE_HZ).float().repeat_interleave(step, dim=-1)
        waves = torch.sin(2 * torch.pi * cycles * orders) * SINE_LEVEL * voiced
        if self.noise:
            level = voiced * VOICED_NOISE + (1 - voiced) * SINE_LEVEL / 3
            waves = waves + level * torch.randn_like(waves)
        return torch.tanh(self.linear("decoder.generator.m_source.l_linear", waves.transpose(1, 2))).squeeze(-1)

    def generator(self, x: Tensor, style: Tensor, pitch: Tensor) -> Tensor:
        spectrum = torch.stft(self.source(pitch), ISTFT_SIZE, ISTFT_HOP, window=self.window, return_complex=True)
        excitation = torch.cat([spectrum.abs(), spectrum.angle()], dim=1)
        name = "decoder.generator."
        for stage, (rate, kernel) in enumerate(UPSAMPLINGS):
            last = stage == len(UPSAMPLINGS) - 1
            noise_options = {} if last else {"stride": UPSAMPLINGS[1][0], "padding": (UPSAMPLINGS[1][0] + 1) // 2}
            noise = self.conv(f"{name}noise_convs.{stage}", excitation, **noise_options)
            noise = self.snake_block(f"{name}noise_res.{stage}", noise, style, NOISE_KERNELS[stage])
            x = F.conv_transpose1d(
                F.leaky_relu(x, 0.1),
                self.weights[f"{name}ups.{stage}.weight"],
                self.weights[f"{name}ups.{stage}.bias"],
                stride=rate,
                padding=(kernel - rate) // 2,
            )
            if last:
                x = F.pad(x, (1, 0), mode="reflect")
            x = x + noise
            x = sum(
                self.snake_block(f"{name}resblocks.{stage * 3 + index}", x, style, size)
                for index, size in enumerate(RESBLOCK_KERNELS)
            ) / len(RESBLOCK_KERNELS)
        x = self.conv(name + "conv_post", F.leaky_relu(x, 0.01), padding=3)
        half = ISTFT_SIZE // 2 + 1
        spectrum = torch.polar(torch.exp(x[:, :half]), torch.sin(x[:, half:]))
        return torch.istft(spectrum, ISTFT_SIZE, ISTFT_HOP, window=self.window)

    @torch.no_grad()
    def audio(self, features: Tensor, text: Tensor, style: Tensor, pitch_factor: Tensor | float = 1.0) -> Tensor:
        """Per-frame features [batch, T, 640] and text [batch, T, 512], pitch_factor [batch, 1, 1] or one for all ->
        audio [batch, 600 T]."""
        pitch, energy = self.pitch_and_energy(features, style[:, 128:])
        pitch = pitch * pitch_factor
        sound_style = style[:, :128]
        text = text.transpose(1, 2)
        curves = [
            self.conv("decoder.F0_conv", pitch, stride=2, padding=1),
            self.conv("decoder.N_conv", energy, stride=2, padding=1),
        ]
        x = self.style_block("decoder.encode", torch.cat([text, *curves], dim=1), sound_style)
        residual = self.conv("decoder.asr_res.0", text)
        for index in range(4):
            x = self.style_block(f"decoder.decode.{index}", torch.cat([x, residual, *curves], dim=1), sound_style)
        return self.generator(x, sound_style, pitch)
