"""One training step of the codec as a function of fixed-shape tensors (so it can be recorded), and its initialisation."""

import sizes as S
import torch
import torch.nn.functional as F
from codec_model import EncoderResidual, ResidualUnit
from discriminators import MelDistance, adversarial_loss, discriminator_loss, feature_loss
from torch import nn
from training import differentiate

MEL_WEIGHT = 15.0
PHONE_WEIGHT = 2.0
FEATURE_WEIGHT = 2.0
COMMITMENT_WEIGHT = 1.0  # of a share of the latent's energy, about 0.2 to 1
CORRELATION_WEIGHT = 1.0
SCALE_WEIGHT, WIDEST_STREAM = 0.1, 30.0
UPSAMPLED = 4  # columns of the decoder's features a frame


def cut(x, first, crops_per_clip, crop_frames):
    """Crops of [B, C, T, n] that begin at frame `first` [B x crops_per_clip] -> [B x crops_per_clip, C, crop_frames x n]."""
    B, C, T, n = x.shape
    clip = torch.arange(B, device=x.device).repeat_interleave(crops_per_clip)
    frames = first[:, None] + torch.arange(crop_frames, device=x.device)[None]
    rows = (clip[:, None] * T + frames).view(-1)
    crops = x.transpose(1, 2).reshape(B * T, C * n).index_select(0, rows)
    return crops.view(len(first), crop_frames, C, n).transpose(1, 2).reshape(len(first), C, crop_frames * n)


def phone_loss(logits, labels):
    """Mean cross entropy of the known phones; 0 where none is known, as in a batch of recorded people."""
    logits, labels = logits.reshape(-1, S.PHONE_COUNT), labels.reshape(-1)
    total = F.cross_entropy(logits, labels, ignore_index=S.UNKNOWN_PHONE, reduction="sum")
    return total / (labels != S.UNKNOWN_PHONE).sum().clamp(min=1)


def scale_loss(stream):
    """Squared logarithm of how far the convolutions' output is wider than it need be.

    The books see a normalised latent, so nothing else holds this scale; beside a stream a hundred times as wide the
    transformer's layers add next to nothing.
    """
    return (stream.float().std() / WIDEST_STREAM).log().clamp(min=0).pow(2)


class CodecSteps:
    """A step by its phase: all but `polish` train encoder, quantiser and decoder; `polish` the decoder on frozen codes."""

    def __init__(self, codec, discriminators, sides, judges, ranks, crop_frames):
        """`sides`: the flat parameters of the encoder (with quantiser and phones) and of the decoder."""
        self.codec = codec
        self.discriminators = discriminators
        self.encoder_side, self.decoder_side = sides
        self.judges = judges
        self.ranks = ranks
        self.crop_frames = crop_frames
        self.correlation_weight = CORRELATION_WEIGHT
        self.mel = MelDistance().to(ranks.device)

    def __call__(self, key, inputs):
        return self.polish(inputs) if key[0] == "polish" else self.joint(key[0], inputs)

    def joint(self, phase, inputs):
        codec, labels = self.codec, inputs["labels"]
        continuous = phase == "continuous"
        with self.ranks.autocast():
            stream = codec.encoder(inputs["heard"][:, None])
            latent = codec.latent_of(stream)
        unquantised = inputs["unquantised"]
        semantic = codec.semantic(latent, continuous, unquantised=unquantised)
        acoustic = codec.acoustic(latent, continuous, inputs["books"], unquantised)
        with self.ranks.autocast():
            phones = codec.phones(semantic.vectors.transpose(1, 2))
        phone = phone_loss(phones.float(), labels)
        commitment = semantic.commitment + acoustic.commitment
        fake, real = self._crops(semantic.vectors, acoustic.vectors, inputs)
        loss, values = self._sound_loss(fake, real, phase == "adversarial", inputs["adversarial_weight"])
        loss = loss + COMMITMENT_WEIGHT * commitment + PHONE_WEIGHT * phone
        loss = loss + self.correlation_weight * acoustic.correlation + SCALE_WEIGHT * scale_loss(stream)
        differentiate(loss, [self.encoder_side, self.decoder_side])
        return values | {
            "phone": phone,
            "commitment": commitment,
            "explained": acoustic.explained,
            "explained_semantic": semantic.explained,
            "correlation": acoustic.correlation,
            "stream_deviation": stream.float().std().detach(),
            "latent_deviation": acoustic.moments[1].sqrt().mean(),
            "statistics": torch.cat([semantic.statistics, acoustic.statistics]),
            "rows": torch.cat([semantic.rows, acoustic.rows]),
            "moments": torch.stack([semantic.moments, acoustic.moments]),
        }

    def polish(self, inputs):
        with torch.no_grad(), self.ranks.autocast():
            codes = self.codec.encode(inputs["heard"])
        fake, real = self._crops(*self.codec.dequantise(codes), inputs)
        loss, values = self._sound_loss(fake, real, True, inputs["adversarial_weight"])
        differentiate(loss, [self.decoder_side])
        return values

    def _crops(self, semantic, acoustic, inputs):
        """What the decoder makes of the vectors at random places, and the sound that belongs there."""
        audio, first = inputs["audio"], inputs["first"]
        B, _, T = semantic.shape
        with self.ranks.autocast():
            features = self.codec.decoder.features(semantic, acoustic)
            crops = cut(features.view(B, -1, T, UPSAMPLED), first, len(first) // B, self.crop_frames)
            fake = self.codec.decoder.waveform(crops)
        real = cut(audio.view(B, 1, T, S.FRAME_SAMPLES), first, len(first) // B, self.crop_frames)[:, 0]
        return fake.float(), real

    def _sound_loss(self, fake, real, adversarial, weight):
        mel = self.mel(fake, real)
        if not adversarial:
            return MEL_WEIGHT * mel, {"mel": mel}
        with self.ranks.autocast():
            judged = self.discriminators(torch.cat([real, fake.detach()]))
        on_real = [(verdict[: len(real)], [x[: len(real)] for x in features]) for verdict, features in judged]
        on_fake = [(verdict[len(real) :], [x[len(real) :] for x in features]) for verdict, features in judged]
        judge_loss = discriminator_loss(on_real, on_fake)
        differentiate(judge_loss, [self.judges])
        # Both sides learn against the same discriminator, so its view of the real sound is used twice.
        self.discriminators.requires_grad_(False)  # or the sums of its biases' gradients would be made for nothing
        with self.ranks.autocast():
            judged_fake = self.discriminators(fake)
        self.discriminators.requires_grad_(True)
        fooled, matched = adversarial_loss(judged_fake), feature_loss(on_real, judged_fake)
        loss = MEL_WEIGHT * mel + weight * (fooled + FEATURE_WEIGHT * matched)
        return loss, {"mel": mel, "judge": judge_loss, "fooled": fooled, "matched": matched}


def initialise(codec):
    """Variance preserving: PyTorch's default shrinks the signal by 0.58 a convolution and the biases take over."""
    with torch.no_grad():
        for module in codec.modules():
            if isinstance(module, nn.Conv1d):
                module.weight.normal_(0, (module.in_channels // module.groups * module.kernel_size[0]) ** -0.5)
            elif isinstance(module, nn.ConvTranspose1d):
                module.weight.normal_(0, (module.in_channels * module.kernel_size[0] / module.stride[0]) ** -0.5)
            elif isinstance(module, nn.Linear):
                module.weight.normal_(0, module.in_features**-0.5)
            else:
                continue
            if module.bias is not None:
                # Not zero: digital silence would stay 0, where the norms have a slope of 1 / sqrt(eps).
                module.bias.normal_(0, 0.15)
        codec.decoder.decoder[-1].conv.bias.zero_()


@torch.no_grad()
def scale_to_data(codec, audio, decoder=True):
    """One pass over real audio that scales every convolution to a set output deviation; with or without the decoder's.

    Without it the loss sat on a plateau for 600 steps of the first run; with it, it falls from the first step.
    """
    wanted = {
        module: 1.0
        for name, module in codec.named_modules()
        if isinstance(module, (nn.Conv1d, nn.ConvTranspose1d))
        and module.groups == 1
        and (decoder or not name.startswith("decoder."))
    }
    for module in codec.modules():
        if isinstance(module, EncoderResidual):
            wanted[module.block[3].conv] = 0.5
        if decoder and isinstance(module, ResidualUnit):
            wanted[module.conv2.conv] = 0.35
    if decoder:
        wanted[codec.decoder.decoder[-1].conv] = 0.05

    def rescale(module, _, output):
        factor = wanted[module] / (output.std() + 1e-8)
        module.weight.mul_(factor)
        if module.bias is None:
            return output * factor
        bias = module.bias[:, None]
        return (output - bias) * factor + bias

    hooks = [module.register_forward_hook(rescale) for module in wanted]
    latent = codec.latent(audio)
    for quantiser in (codec.semantic, codec.acoustic):
        quantiser.measure(latent)
    if decoder:
        codec.decoder(codec.semantic(latent, True).vectors, codec.acoustic(latent, True).vectors)
    for hook in hooks:
        hook.remove()
