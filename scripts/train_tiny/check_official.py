"""The export in the official code (qwen-tts 0.1.1): it loads, and its greedy codes equal ours; writes test data.

    python check_official.py --export EXPORT --checkpoints OUT --golden golden.npz      (needs torch, qwen-tts 0.1.1, transformers 4.57.3)
    ... --base EXPORT_BASE --reference CLIP.wav --reference-text "What is said there."     the face that clones, too

golden.npz, for every case: NAME/text, NAME/speaker, NAME/text_ids, NAME/codes [frames, books]; of whole English
texts also NAME/audio (every 5th sample). For the test data of the shipped model see dequantise.py.
"""

import argparse
import json
import re
import sys
import types
from pathlib import Path

import numpy as np
import torch

# Only the 25 Hz tokenizer, unused here, needs torchaudio, sox and onnxruntime: leave it out.
unused = types.ModuleType("qwen_tts.core.tokenizer_25hz.vq.speech_vq")
unused.WhisperEncoderVQ = unused.XVectorExtractor = type("Unused", (torch.nn.Module,), {})
sys.modules[unused.__name__] = unused
import tokenizer as text_tokenizer
from codec_model import Codec
from export import codec_state
from phone_tokens import phones
from prompt_tracks import VECTOR, TrackBuilder
from qwen_tts import Qwen3TTSModel
from reconstruct import read
from safetensors.torch import load_file
from sizes import PRESETS
from speak import generate
from speaker_model import LogMel, SpeakerEncoder, from_official
from talker_model import Talker

TEXTS = (
    "Hello.",
    "Where are my keys?",
    "It costs $45.20, and the shop opens at 9:30.",
    "The captain told the passengers to fasten their seat belts immediately.",
)
# For models that read phones: what stands in braces goes as phones.
TEXTS_WITH_PHONES = ("Ask {ʃɪvˈɔn} about the {ˈɪsməs}, please.", "{wˈɛɹ} {ɑɹ} {mI} {kˈiz}?")
MODES = {
    "english": ("english", False),
    "english_streamed": ("english", True),
    "auto": ("auto", False),
    "auto_streamed": ("auto", True),
}


def our_codes(model, builder, tokenizer, text, speaker, language, streamed, most_frames):
    ids = [tokenizer.encode(text).ids]
    return generate(model, builder, ids, [speaker], [language == "auto"], [streamed], most_frames)[0].numpy()


def texts_of(folder):
    """What an export is asked to say."""
    if "phones" not in json.loads((folder / "config.json").read_text()):
        return TEXTS
    hidden = (re.sub(r"\{(.*?)\}", lambda word: phones.private(word[1]), text) for text in TEXTS_WITH_PHONES)
    return (*TEXTS, *hidden)


def load_ours(folder, preset):
    sizes = PRESETS[preset]
    config = json.loads((folder / "config.json").read_text())
    vocabulary = json.loads((folder / "vocab.json").read_text())
    text_ids = {
        "vocabulary": config["talker_config"]["text_vocab_size"],
        "assistant": config["assistant_token_id"],
        "im_start": config["im_start_token_id"],
        "im_end": config["im_end_token_id"],
        "newline": vocabulary["Ċ"],
        "tts_pad": config["tts_pad_token_id"],
        "tts_bos": config["tts_bos_token_id"],
        "tts_eos": config["tts_eos_token_id"],
    }
    model = Talker(sizes, text_ids["vocabulary"]).eval()
    model.load_state_dict(part(folder, "talker."))
    ids = config["talker_config"]["spk_id"]
    speakers = sorted(ids, key=ids.get)
    return model, TrackBuilder(sizes, text_ids, speakers, torch.device("cpu")), speakers


def part(folder, prefix):
    weights = load_file(folder / "model.safetensors")
    return {name.removeprefix(prefix): value.float() for name, value in weights.items() if name.startswith(prefix)}


def load_official(folder):
    official = Qwen3TTSModel.from_pretrained(str(folder), dtype=torch.float32, attn_implementation="eager")
    official.model.eval()
    same_names(official.model, folder / "model.safetensors")
    same_names(official.model.speech_tokenizer.model, folder / "speech_tokenizer" / "model.safetensors")
    return official


def same_names(model, path):
    """from_pretrained only warns about missing and surplus tensors; here they end the check."""
    wanted, found = set(model.state_dict()), set(load_file(path))
    if wanted != found:
        raise SystemExit(f"{path}: missing {sorted(wanted - found)[:5]}, surplus {sorted(found - wanted)[:5]}")


@torch.no_grad()
def check_codec(official, checkpoints):
    """Largest difference of the decoders on the same codes, and the share of equal codes of the encoders."""
    state, sizes = codec_state(checkpoints)
    codec = Codec(sizes.codec).eval()
    codec.load_state_dict({name: value.half().float() for name, value in state.items()})
    seconds = torch.arange(60 * 1920) / 24000
    audio = (0.2 * torch.sin(2 * torch.pi * 200 * seconds * (1 + 0.3 * torch.sin(3 * seconds))))[None]
    ours = codec.encode(audio)
    theirs = official.encode(audio, torch.ones_like(audio, dtype=torch.long)).audio_codes[0].T[None]
    difference = (codec.decode(ours) - official.decoder(ours)[:, 0]).abs().max()
    print(
        f"codec: {float((ours == theirs).float().mean()):.2%} of the codes equal, decoders differ by {float(difference):.1e}"
    )
    # Rounding the first book and the latent's mean together to float16 moves what is left for the last books a little.
    first_books = (ours == theirs)[:, :4].float().mean()
    return bool(first_books > 0.99) and float(difference) < 1e-4


@torch.no_grad()
def check_clones(options):
    """Both kinds of clones, whole and streamed text, with both encoders: are vector and greedy codes equal?"""
    official = load_official(options.base)
    model, builder, _ = load_ours(options.base, options.preset)
    tokenizer = text_tokenizer.load_plain(options.base)
    sizes = PRESETS[options.preset]
    encoder = SpeakerEncoder(sizes.speaker_encoder, sizes.talker.talker.hidden).eval()
    encoder.load_state_dict(from_official(part(options.base, "speaker_encoder.")))
    audio = read(options.reference).astype(np.float32) / 32768
    vector = encoder(LogMel()(torch.from_numpy(audio)[None]))
    all_equal, golden = True, {"reference/audio": audio.astype(np.float32), "reference/text": options.reference_text}
    for number, text in enumerate(texts_of(options.base)):
        for prompt in ("vector", "context"):
            alone, streamed = prompt == "vector", number % 2 == 0
            said = None if alone else options.reference_text
            items = official.create_voice_clone_prompt((audio, 24000), ref_text=said, x_vector_only_mode=alone)
            clone = official._prompt_items_to_voice_clone_prompt(items)
            codes, _ = official.model.generate(
                input_ids=official._tokenize_texts([official._build_assistant_text(text)]),
                instruct_ids=[None],
                ref_ids=None if alone else official._tokenize_texts([official._build_ref_text(said)]),
                voice_clone_prompt=clone,
                languages=["english"],
                non_streaming_mode=not streamed,
                do_sample=False,
                subtalker_dosample=False,
                max_new_tokens=options.most_frames,
            )
            theirs = clone["ref_spk_embedding"][0]
            difference = float((theirs - vector[0]).abs().max() / theirs.abs().max())
            reference = None if alone else [(tokenizer.encode(said).ids, clone["ref_code"][0].cpu())]
            ours = generate(
                model,
                builder,
                [tokenizer.encode(text).ids],
                [VECTOR],
                [False],
                [streamed],
                options.most_frames,
                vectors=vector,
                references=reference,
            )[0].numpy()
            codes = codes[0].numpy()
            same = np.array_equal(codes, ours[: len(codes)]) and difference < 1e-3
            all_equal &= same
            mode = "streamed" if streamed else "whole"
            golden |= {
                f"{number}/{prompt}_{mode}/text": text,
                f"{number}/{prompt}_{mode}/codes": codes.astype(np.int16),
            }
            golden["reference/vector"] = theirs.cpu().numpy()
            if not alone:
                golden["reference/codes"] = clone["ref_code"][0].cpu().numpy().astype(np.int16)
            print(
                f"{prompt:8} {mode:8} {len(codes):4} frames, ours {len(ours):4}, "
                f"vectors differ by {difference:.1e}, equal: {same}",
                flush=True,
            )
    if options.golden_clones:
        np.savez_compressed(options.golden_clones, **golden)
    return all_equal


def run(options):
    torch.set_num_threads(options.threads)
    official = load_official(options.export)
    codec_equal = check_codec(official.model.speech_tokenizer.model, options.checkpoints)
    model, builder, speakers = load_ours(options.export, options.preset)
    tokenizer = text_tokenizer.load_plain(options.export)
    golden, equal, texts = {}, 0, texts_of(options.export)
    for number, text in enumerate(texts):
        for mode, (language, streamed) in MODES.items():
            speaker = speakers[number % len(speakers)]
            ids = official._tokenize_texts([official._build_assistant_text(text)])
            codes, _ = official.model.generate(
                input_ids=ids,
                instruct_ids=[None],
                languages=[language],
                speakers=[speaker],
                non_streaming_mode=not streamed,
                do_sample=False,
                subtalker_dosample=False,
                max_new_tokens=options.most_frames,
            )
            codes = codes[0].numpy()
            ours = our_codes(
                model, builder, tokenizer, text, number % len(speakers), language, streamed, options.most_frames
            )
            same = np.array_equal(codes, ours[: len(codes)])
            assert ids[0][0, 3:-5].tolist() == tokenizer.encode(text).ids, text
            equal += same
            print(f"{mode:17} {speaker:8} {len(codes):4} frames, ours {len(ours):4}, equal: {same}", flush=True)
            name = f"{number}/{mode}"
            golden |= {
                f"{name}/text": text,
                f"{name}/speaker": speaker,
                f"{name}/text_ids": ids[0][0].numpy(),
                f"{name}/codes": codes.astype(np.int16),
            }
            if mode == "english":
                audio = official.model.speech_tokenizer.decode([{"audio_codes": torch.from_numpy(codes)}])[0][0]
                golden[f"{name}/audio"] = np.asarray(audio, np.float16)[::5]
    np.savez_compressed(options.golden, **golden)
    print(f"{equal} of {len(texts) * len(MODES)} equal; {options.golden} written")
    clones_equal = not options.base or check_clones(options)
    return (codec_equal or options.dequantised) and clones_equal and equal == len(texts) * len(MODES)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--export", required=True, type=Path)
    parser.add_argument("--base", type=Path, help="the export that clones, with --reference and --reference-text")
    parser.add_argument("--reference", type=Path, help="24 kHz wav file")
    parser.add_argument("--reference-text")
    parser.add_argument("--checkpoints", required=True, type=Path, help="what the export was made from")
    parser.add_argument("--golden", required=True, type=Path)
    parser.add_argument("--dequantised", action="store_true", help="the codec may differ from CHECKPOINTS: 8 bits")
    parser.add_argument("--golden-clones", type=Path, help="write the clones' codes, and what they were made of")
    parser.add_argument("--preset", choices=list(PRESETS), default="full")
    parser.add_argument("--most-frames", type=int, default=150)
    parser.add_argument("--threads", type=int, default=1)
    sys.exit(0 if run(parser.parse_args()) else 1)
