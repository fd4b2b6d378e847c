"""Every size and id of the tiny voice: frozen dataclasses, and the presets `full` (as shipped), `clone` and `toy`."""

from dataclasses import asdict, dataclass, replace

SAMPLE_RATE = 24000
FRAME_SAMPLES = 1920
LABEL_SAMPLES = 480
LABELS_PER_FRAME = FRAME_SAMPLES // LABEL_SAMPLES
PHONE_COUNT = 178
UNKNOWN_PHONE = 255  # a label of recordings whose phones nobody wrote down
ENCODER_STRIDES = (4, 5, 6, 8)
DECODER_STRIDES = (8, 5, 4, 3)
CONTROL_IDS = 1024

# Offsets behind the audio codes of the talker's vocabulary, as in the released models (2048 + offset).
LANGUAGE_OFFSETS = {"english": 2}
CONTROL_OFFSETS = {"pad": 100, "bos": 101, "eos": 102, "think": 106, "nothink": 107, "think_bos": 108, "think_eos": 109}
FIRST_SPEAKER_OFFSET = 200


@dataclass(frozen=True)
class TransformerSizes:
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    head_dim: int
    layers: int
    theta: float = 10000.0


@dataclass(frozen=True)
class CodecSizes:
    books: int
    entries: int
    quantiser_dim: int  # the decoder's official `codebook_dim` is twice this
    encoder_filters: int
    encoder: TransformerSizes
    decoder_latent: int
    decoder_channels: int  # the first width of the waveform decoder, halved four times
    decoder_window: int  # frames one frame of the decoder's transformer sees, itself included
    decoder: TransformerSizes


@dataclass(frozen=True)
class TalkerSizes:
    text_hidden: int
    talker: TransformerSizes
    predictor: TransformerSizes


@dataclass(frozen=True)
class SpeakerEncoderSizes:
    channels: tuple[int, ...]  # of the five convolutions; the last takes three others together
    attention: int
    squeezed: int


@dataclass(frozen=True)
class DiscriminatorSizes:
    period_channels: tuple[int, ...]
    spectrum_channels: int


@dataclass(frozen=True)
class Sizes:
    codec: CodecSizes
    talker: TalkerSizes
    discriminators: DiscriminatorSizes
    speaker_encoder: SpeakerEncoderSizes
    text_tokens: int

    @property
    def talker_vocabulary(self):
        return self.codec.entries + CONTROL_IDS

    def control_ids(self):
        return {name: self.codec.entries + offset for name, offset in CONTROL_OFFSETS.items()}

    def language_ids(self):
        return {name: self.codec.entries + offset for name, offset in LANGUAGE_OFFSETS.items()}

    def speaker_ids(self, speakers):
        return {name: self.codec.entries + FIRST_SPEAKER_OFFSET + row for row, name in enumerate(speakers)}

    def as_dict(self):
        return asdict(self)


# 16 books of 512 (1,800 bit/s): small tables for the talker, and the same number of code groups as the released
# models. In 32 dimensions one book of 512 still takes a third off an isotropic residual (in 64 only 18 %).
FULL = Sizes(
    codec=CodecSizes(
        books=16,
        entries=512,
        quantiser_dim=32,
        encoder_filters=32,
        encoder=TransformerSizes(hidden=384, ffn=1536, heads=6, kv_heads=6, head_dim=64, layers=4),
        decoder_latent=256,
        decoder_channels=384,
        decoder_window=32,
        decoder=TransformerSizes(hidden=256, ffn=512, heads=4, kv_heads=4, head_dim=64, layers=4),
    ),
    talker=TalkerSizes(
        text_hidden=256,
        talker=TransformerSizes(hidden=256, ffn=768, heads=4, kv_heads=2, head_dim=64, layers=8),
        predictor=TransformerSizes(hidden=256, ffn=768, heads=4, kv_heads=2, head_dim=64, layers=3),
    ),
    discriminators=DiscriminatorSizes(period_channels=(32, 96, 192, 384, 384), spectrum_channels=32),
    speaker_encoder=SpeakerEncoderSizes(channels=(192, 192, 192, 192, 576), attention=64, squeezed=64),
    text_tokens=1000,
)

# For cloning the encoder is shipped, too, so that it is a little smaller: 9.9 M instead of 11. The talker must know many
# voices: two layers more cost 1.7 MB at 8 bits, and little time beside the code predictor's 15 passes a frame.
CLONE = replace(
    FULL,
    codec=replace(
        FULL.codec,
        encoder=TransformerSizes(hidden=384, ffn=1152, heads=6, kv_heads=6, head_dim=64, layers=4),
    ),
    talker=replace(
        FULL.talker,
        talker=TransformerSizes(hidden=256, ffn=768, heads=4, kv_heads=2, head_dim=64, layers=10),
    ),
)

TOY = Sizes(
    codec=CodecSizes(
        books=4,
        entries=32,
        quantiser_dim=16,
        encoder_filters=4,
        encoder=TransformerSizes(hidden=32, ffn=64, heads=2, kv_heads=2, head_dim=16, layers=2),
        decoder_latent=32,
        decoder_channels=64,
        decoder_window=8,
        decoder=TransformerSizes(hidden=32, ffn=64, heads=2, kv_heads=2, head_dim=16, layers=2),
    ),
    talker=TalkerSizes(
        text_hidden=64,
        talker=TransformerSizes(hidden=64, ffn=128, heads=4, kv_heads=2, head_dim=64, layers=2),
        predictor=TransformerSizes(hidden=64, ffn=128, heads=4, kv_heads=2, head_dim=64, layers=1),
    ),
    discriminators=DiscriminatorSizes(period_channels=(4, 8), spectrum_channels=4),
    speaker_encoder=SpeakerEncoderSizes(channels=(32, 32, 32, 32, 96), attention=16, squeezed=16),
    text_tokens=320,
)

PRESETS = {"full": FULL, "clone": CLONE, "toy": TOY}
