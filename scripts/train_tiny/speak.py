"""Speak with the training checkpoints or an export: a slow, plain generator that shares its layout with the training.

python speak.py --checkpoints OUT --tokenizer TOKENIZER --report REPORT.json
"""

import argparse
import json
from pathlib import Path

import tokenizer as text_tokenizer
import torch
from codec_model import Codec
from discriminators import MelDistance
from export import GENERATION, codec_state
from pool import Pool
from prompt_tracks import TrackBuilder
from speakers import CODEC_SHARES
from talker_model import Talker
from training import load

SENTENCES = (
    "Hello.",
    "No.",
    "Where are my keys?",
    "It costs $45.20.",
    "The meeting starts at 9:30 on Monday.",
    "Please leave the parcel with the neighbour.",
    "Dr Grey lives at 12 Mill Lane.",
    "Thank you very much for your help!",
    "The old bridge was closed to traffic after the storm, so we had to walk along the river for an hour.",
    "When the train finally arrived, most of the passengers had already gone home.",
)


@torch.no_grad()
def generate(
    model,
    builder,
    token_ids,
    speakers,
    auto,
    streamed,
    most_frames,
    sampling=None,
    seed=0,
    vectors=None,
    references=None,
):
    """Codes of several sentences at once: greedy, or with `sampling` (the keys of generation_config.json).

    vectors [B, H] stand where a speaker is VECTOR; references: (text ids, codes [frames, books]) of each, in-context.
    """
    device = builder.device
    B, books = len(token_ids), model.books
    references = references or [([], torch.zeros(0, books, dtype=torch.long))] * B
    token_ids = [[*said, *ids] for (said, _), ids in zip(references, token_ids, strict=True)]
    given_text = torch.tensor([len(said) for said, _ in references], device=device)
    given = torch.tensor([len(heard) for _, heard in references], device=device)
    most_given, rows = int(given.max()), torch.arange(B, device=device)
    lengths = torch.tensor([len(ids) for ids in token_ids], device=device)
    text = torch.zeros(B, int(lengths.max()), dtype=torch.long, device=device)
    for row, ids in enumerate(token_ids):
        text[row, : len(ids)] = torch.tensor(ids, device=device)

    def on(values, kind):
        return torch.tensor(values, dtype=kind, device=device)

    speakers, auto, streamed = on(speakers, torch.long), on(auto, torch.bool), on(streamed, torch.bool)
    codes = torch.zeros(B, most_given + most_frames, books, dtype=torch.long, device=device)
    for row, (_, heard) in enumerate(references):
        codes[row, : len(heard)] = heard.to(device)
    frames = torch.full((B,), most_frames, device=device)
    random = torch.Generator(device).manual_seed(seed)
    eos, entries = builder.control["eos"], model.code_predictor.lm_head[0].out_features
    said = torch.zeros(B, model.codec_head.out_features, dtype=torch.bool, device=device)
    for frame in range(most_frames):
        length = int(lengths.max()) + 12 + most_given + frame
        track = builder.build(
            text, lengths, codes, given + frame, speakers, auto, streamed, length, None, given_text, given
        )
        if vectors is not None:
            track["vectors"] = vectors.to(device)
        last = track["label"].eq(eos).float().argmax(1)  # the position whose label is eos is the newest one
        hidden = model.hidden(track)[rows, last]
        logits = model.codec_head(hidden)
        penalised = torch.where(logits > 0, logits / 1.05, logits * 1.05)
        logits = torch.where(said, penalised, logits)
        forbidden = torch.ones_like(said)
        forbidden[:, :entries] = False
        forbidden[:, eos] = frame < 2
        choice = draw(logits.masked_fill(forbidden, -torch.inf), sampling, "", random)
        frames = torch.where((choice == eos) & (frames == most_frames), frame, frames)
        if bool((frames < most_frames).all()):
            break
        said[rows, choice] = True
        codes[rows, given + frame, 0] = choice.clamp(max=entries - 1)
        for book in range(1, books):
            predicted = model.predict(hidden, codes[rows, given + frame])[:, book - 1]
            codes[rows, given + frame, book] = draw(predicted, sampling, "subtalker_", random)
    return [codes[row, given[row] : given[row] + frames[row]] for row in range(B)]


def draw(logits, sampling, prefix, random):
    if sampling is None:
        return logits.argmax(-1)
    logits = logits / sampling[prefix + "temperature"]
    least = logits.topk(sampling[prefix + "top_k"]).values[:, -1:]
    probability = logits.masked_fill(logits < least, -torch.inf).softmax(-1)
    return torch.multinomial(probability, 1, generator=random)[:, 0]


def load_models(checkpoints, tokenizer_folder, device):
    tokenizer, text_ids = text_tokenizer.load(tokenizer_folder)
    state, sizes = codec_state(Path(checkpoints))
    codec = Codec(sizes.codec)
    codec.load_state_dict(state)
    saved = load(Path(checkpoints) / "talker.pt")
    talker = Talker(sizes, text_ids["vocabulary"])
    talker.load_state_dict(saved["average"])
    builder = TrackBuilder(sizes, text_ids, saved["speakers"], device)
    return codec.to(device).eval(), talker.to(device).eval(), builder, tokenizer, saved["speakers"]


@torch.no_grad()
def reconstruction(codec, data, device):
    """Mel distance of random clips after encoding and decoding, with the averaged decoder."""
    pool = Pool(data, CODEC_SHARES, 1.0, device, seed=1)
    pool.refresh()
    audio = pool.clips(32, 40)[0]
    return float(MelDistance().to(device)(codec.decode(codec.encode(audio)), audio))


def report(options):
    device = torch.device(options.device)
    codec, talker, builder, tokenizer, speakers = load_models(options.checkpoints, options.tokenizer, device)
    tokens = [tokenizer.encode(text).ids for text in SENTENCES for _ in speakers]
    texts = [text for text in SENTENCES for _ in speakers]
    rows = list(range(len(speakers))) * len(SENTENCES)
    result = {}
    if options.data:
        result["reconstruction_mel"] = reconstruction(codec, options.data, device)
    for name, sampling, streamed, auto in (
        ("greedy", None, False, False),
        ("sampled", GENERATION, False, False),
        ("sampled, streamed text", GENERATION, True, False),
        ("greedy, auto", None, False, True),
    ):
        codes = generate(
            talker, builder, tokens, rows, [auto] * len(rows), [streamed] * len(rows), options.most_frames, sampling
        )
        result[name] = [
            {"text": text, "speaker": speakers[row], "frames": len(code)}
            for text, row, code in zip(texts, rows, codes, strict=False)
        ]
        print(name, "hit the limit:", sum(len(code) == options.most_frames for code in codes), "of", len(codes))
    Path(options.report).write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoints", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--report", required=True, help="JSON file to write: lengths of some sentences, codec distance")
    parser.add_argument("--data", help="folder of shards, for the codec's reconstruction")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--most-frames", type=int, default=150)
    report(parser.parse_args())
