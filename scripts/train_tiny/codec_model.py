"""The codec: waveform -> codes (Mimi encoder, split residual quantiser) -> waveform (official 12 Hz decoder)."""

import sizes as S
import torch
import torch.nn.functional as F
from layers import (
    Attention,
    CausalConv,
    CausalTransposedConv,
    GatedMLP,
    MimiMLP,
    RMSNorm,
    SnakeBeta,
    rotary,
    window_mask,
)
from quantiser import ResidualQuantiser
from torch import nn


class EncoderResidual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.block = nn.ModuleList(
            [nn.ELU(), CausalConv(width, width // 2, 3), nn.ELU(), CausalConv(width // 2, width, 1)]
        )

    def forward(self, x):
        y = x
        for layer in self.block:
            y = layer(y)
        return x + y


class ConvEncoder(nn.Module):
    def __init__(self, filters, hidden):
        super().__init__()
        layers = [CausalConv(1, filters, 7)]
        for stride in S.ENCODER_STRIDES:
            layers += [EncoderResidual(filters), nn.ELU(), CausalConv(filters, 2 * filters, 2 * stride, stride=stride)]
            filters *= 2
        layers += [nn.ELU(), CausalConv(filters, hidden, 3)]
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class LayerScale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        return self.scale * x


class CodecLayer(nn.Module):
    def __init__(self, sizes, encoder):
        super().__init__()
        self.self_attn = Attention(sizes)
        self.mlp = MimiMLP(sizes.hidden, sizes.ffn) if encoder else GatedMLP(sizes.hidden, sizes.ffn)
        norm = nn.LayerNorm if encoder else RMSNorm
        self.input_layernorm = norm(sizes.hidden, eps=1e-5)
        self.post_attention_layernorm = norm(sizes.hidden, eps=1e-5)
        self.self_attn_layer_scale = LayerScale(sizes.hidden)
        self.mlp_layer_scale = LayerScale(sizes.hidden)

    def forward(self, x, cos, sin, mask):
        x = x + self.self_attn_layer_scale(self.self_attn(self.input_layernorm(x), cos, sin, mask))
        return x + self.mlp_layer_scale(self.mlp(self.post_attention_layernorm(x)))


class EncoderTransformer(nn.Module):
    """Attends to the whole past: transformers' MimiModel ignores `sliding_window` here."""

    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        self.layers = nn.ModuleList([CodecLayer(sizes, encoder=True) for _ in range(sizes.layers)])

    def forward(self, x):
        cos, sin = rotary(x.shape[1], self.sizes.head_dim, self.sizes.theta, x.device)
        for layer in self.layers:
            x = layer(x, cos, sin, None)
        return x


class DecoderTransformer(nn.Module):
    def __init__(self, sizes, latent, window):
        super().__init__()
        self.sizes = sizes
        self.window = window
        self.layers = nn.ModuleList([CodecLayer(sizes, encoder=False) for _ in range(sizes.layers)])
        self.norm = RMSNorm(sizes.hidden, 1e-5)
        self.input_proj = nn.Linear(latent, sizes.hidden)
        self.output_proj = nn.Linear(sizes.hidden, latent)

    def forward(self, x):
        T = x.shape[1]
        cos, sin = rotary(T, self.sizes.head_dim, self.sizes.theta, x.device)
        mask = window_mask(T, self.window, x.device)
        x = self.input_proj(x)
        for layer in self.layers:
            x = layer(x, cos, sin, mask)
        return self.output_proj(self.norm(x))


class ConvNeXtBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.dwconv = CausalConv(width, width, 7, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.pwconv1 = nn.Linear(width, 4 * width)
        self.pwconv2 = nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        y = self.norm(self.dwconv(x).transpose(1, 2))
        y = self.pwconv2(F.gelu(self.pwconv1(y)))
        return x + (self.gamma * y).transpose(1, 2)


class ResidualUnit(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.act1 = SnakeBeta(width)
        self.conv1 = CausalConv(width, width, 7, dilation=dilation)
        self.act2 = SnakeBeta(width)
        self.conv2 = CausalConv(width, width, 1)

    def forward(self, x):
        return x + self.conv2(self.act2(self.conv1(self.act1(x))))


class DecoderBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        units = [ResidualUnit(outputs, dilation) for dilation in (1, 3, 9)]
        self.block = nn.ModuleList(
            [SnakeBeta(inputs), CausalTransposedConv(inputs, outputs, 2 * stride, stride), *units]
        )

    def forward(self, x):
        for layer in self.block:
            x = layer(x)
        return x


class Decoder(nn.Module):
    """The official decoder but its codebooks. `features` runs at 12.5-50 Hz, `waveform` is nearly all the work."""

    def __init__(self, sizes):
        super().__init__()
        latent = sizes.decoder_latent
        codebook_dim = 2 * sizes.quantiser_dim
        self.out_first = nn.Conv1d(sizes.quantiser_dim, codebook_dim, 1, bias=False)
        self.out_rest = nn.Conv1d(sizes.quantiser_dim, codebook_dim, 1, bias=False)
        self.pre_conv = CausalConv(codebook_dim, latent, 3)
        self.pre_transformer = DecoderTransformer(sizes.decoder, latent, sizes.decoder_window)
        self.upsample = nn.ModuleList(
            [nn.ModuleList([CausalTransposedConv(latent, latent, 2, 2), ConvNeXtBlock(latent)]) for _ in range(2)]
        )
        channels = sizes.decoder_channels
        layers = [CausalConv(latent, channels, 7)]
        for stride in S.DECODER_STRIDES:
            layers.append(DecoderBlock(channels, channels // 2, stride))
            channels //= 2
        layers += [SnakeBeta(channels), CausalConv(channels, 1, 7)]
        self.decoder = nn.ModuleList(layers)

    def features(self, first, rest):  # 2 x [B, D, T] -> [B, latent, 4 T]
        x = self.out_first(first) + self.out_rest(rest)
        x = self.pre_transformer(self.pre_conv(x).transpose(1, 2)).transpose(1, 2)
        for transposed, block in self.upsample:
            x = block(transposed(x))
        return x

    def waveform(self, x):  # [B, latent, 4 T] -> [B, 1920 T]
        for layer in self.decoder:
            x = layer(x)
        return x[:, 0]

    def forward(self, first, rest):
        return self.waveform(self.features(first, rest))


class Codec(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        hidden = sizes.encoder.hidden
        self.sizes = sizes
        self.encoder = ConvEncoder(sizes.encoder_filters, hidden)
        self.encoder_transformer = EncoderTransformer(sizes.encoder)
        self.downsample = CausalConv(hidden, hidden, 4, stride=2, bias=False, pad_mode="replicate")
        self.semantic = ResidualQuantiser(1, sizes.entries, sizes.quantiser_dim, hidden)
        self.acoustic = ResidualQuantiser(sizes.books - 1, sizes.entries, sizes.quantiser_dim, hidden)
        self.decoder = Decoder(sizes)
        # Training only: code 0 must tell the four phones of its frame, whoever speaks them.
        self.phones = nn.Sequential(
            nn.Linear(sizes.quantiser_dim, 256), nn.GELU(), nn.Linear(256, S.LABELS_PER_FRAME * S.PHONE_COUNT)
        )

    def latent(self, waveform):  # [B, samples] -> [B, H, T]
        return self.latent_of(self.encoder(waveform[:, None]))

    def latent_of(self, stream):  # what the convolutions give, [B, H, 2 T] -> [B, H, T]
        x = self.encoder_transformer(stream.transpose(1, 2)).transpose(1, 2)
        return self.downsample(x)

    def encode(self, waveform):  # [B, samples] -> [B, books, T]
        latent = self.latent(waveform)
        return torch.cat([self.semantic.codes(latent), self.acoustic.codes(latent)], 1)

    def dequantise(self, codes):  # [B, books, T] -> 2 x [B, D, T]
        return self.semantic.vectors(codes[:, :1]), self.acoustic.vectors(codes[:, 1:])

    def decode(self, codes):  # [B, books, T] -> [B, 1920 T]
        return self.decoder(*self.dequantise(codes)).clamp(-1, 1)
