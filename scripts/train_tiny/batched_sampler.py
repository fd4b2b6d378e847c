"""Many takes side by side from a talker in PyTorch, and how likely a talker finds takes: what own_takes.py learns from.

Prompts are the package's own (`own_prompts.py`): a text and a codec track, and the text that comes beside the frames. Takes of one call share a step, so that the rows'
prompts end at the same position; what is before a shorter one is masked.
"""

import numpy as np
import torch
import torch.nn.functional as F
from layers import rotary
from torch.utils.checkpoint import checkpoint

NONE, VECTOR = -1, -2  # as the package's tracks have them
EARLY_FRAMES = 2  # in which nothing ends


class Prompts:
    """Text and codec ids of prompts as rows on a device: [B, L] padded at the front or at the end, and what is there."""

    def __init__(self, tracks, vectors, device, length=None, at_end=True, tail=None):
        """tracks: [(text ids, codec ids, ...)]; vectors [B, H]; at_end: prompts end at `length` instead of beginning at 0.

        tail: of each row further positions (text ids, codec ids) behind the prompt.
        """
        rows = [track[:2] for track in tracks]
        if tail:
            rows = [tuple(map(np.concatenate, zip(row, end, strict=True))) for row, end in zip(rows, tail, strict=True)]
        length = length or max(len(text) for text, _ in rows)
        text, codec = (np.full((len(rows), length), NONE, np.int64) for _ in range(2))
        for at, (words, codes) in enumerate(rows):
            place = slice(length - len(words), length) if at_end else slice(0, len(words))
            text[at, place], codec[at, place] = words, codes
        self.text, self.codec = torch.from_numpy(text).to(device), torch.from_numpy(codec).to(device)
        self.vectors = vectors.to(device)

    def track(self):
        """The talker's `embed` takes this; no frames."""
        B, L = self.text.shape
        return {
            "text": self.text.clamp(min=0),
            "text_on": (self.text != NONE).float(),
            "codec": self.codec.clamp(min=0),
            "codec_on": (self.codec >= 0).float(),
            "codes": torch.zeros(B, L, 2, dtype=torch.long, device=self.text.device),
            "codes_on": torch.zeros(B, L, device=self.text.device),
            "vectors": self.vectors,
            "vector_on": (self.codec == VECTOR).float(),
        }


def trailing_text(track, frames, pad):
    """The text ids that stand beside the first frames: those that are streamed, then `pad`."""
    trailing = track[2][:frames]
    return np.concatenate([trailing, np.full(frames - len(trailing), pad)]).astype(np.int64)


def through(transformer, x, cache, at, mask, turns):
    """[B, T, H] new positions from `at` on through all layers; cache [layers, 2, B, heads, most, D] is written in place."""
    sizes, (B, T) = transformer.sizes, x.shape[:2]
    cos, sin = (turn[at : at + T] for turn in turns)
    for layer, kept in zip(transformer.layers, cache, strict=True):
        attention, inner = layer.self_attn, layer.input_layernorm(x)
        q, k = attention.queries_and_keys(inner, cos, sin)
        v = attention.v_proj(inner).view(B, T, sizes.kv_heads, sizes.head_dim).transpose(1, 2)
        kept[0][:, :, at : at + T], kept[1][:, :, at : at + T] = k, v
        # The query heads of a key head as its rows: nothing is repeated.
        group = sizes.heads // sizes.kv_heads
        q = q.reshape(B, sizes.kv_heads, group * T, sizes.head_dim)
        y = F.scaled_dot_product_attention(
            q, kept[0][:, :, : at + T], kept[1][:, :, : at + T], attn_mask=mask.repeat(1, 1, group, 1)
        )
        y = y.reshape(B, sizes.heads, T, sizes.head_dim).transpose(1, 2).flatten(2)
        x = x + attention.o_proj(y)
        x = x + layer.mlp(layer.post_attention_layernorm(x))
    return transformer.norm(x)


def new_cache(sizes, rows, most, like):
    return torch.zeros(
        sizes.layers, 2, rows, sizes.kv_heads, most, sizes.head_dim, dtype=like.dtype, device=like.device
    )


def gumbel(*shape, device):
    """Noise whose maximum over logits draws with their probabilities."""
    return -torch.empty(shape, device=device).exponential_().log()


def drawn(logits, temperature, noise):
    """One id of each row among the likeliest, as many as `noise` [B, top_k] has columns."""
    values, ids = logits.float().topk(noise.shape[-1], dim=-1)
    return ids.gather(-1, (values / temperature + noise).argmax(-1, keepdim=True))[..., 0]


class Recorded:
    """A function of tensors as a recorded CUDA graph.

    The graph reads and writes the same memory each time. So this keeps the function, and with it all that the function reads
    besides its arguments: what nobody keeps is given to others, and the graph reads theirs.
    """

    def __init__(self, function, examples):
        self.function = function
        self.given = [example.clone() for example in examples]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                function(*self.given)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.made = function(*self.given)

    def __call__(self, *new):
        for place, value in zip(self.given, new, strict=True):
            place.copy_(value)
        self.graph.replay()
        return [value.clone() for value in self.made]

    def is_right(self, examples):
        """Whether it gives the function's own codes, for the examples and for others."""
        others = [example.flip(0) if example.ndim == 1 else example.flip(-2) for example in examples]
        return all(torch.equal(self(*tried)[0], self.function(*tried)[0]) for tried in (examples, others))


class Sampler:
    """Takes of a talker. ids: pad of the text, end of speech and the number of sounds in the first book."""

    def __init__(self, talker, text_pad, end, entries, temperature=0.6, top_k=30, graphs=True):
        """graphs: record frames on a GPU."""
        self.talker, self.text_pad, self.end, self.entries = talker, text_pad, end, entries
        self.temperature, self.top_k, self.graphs = temperature, top_k, graphs
        self.frames = {}

    def first_logits(self, hidden, early):
        """Of the first book and the end; nothing else is a sound."""
        logits = self.talker.codec_head(hidden).float()
        allowed = torch.zeros(logits.shape[-1], dtype=torch.bool, device=logits.device)
        allowed[: self.entries] = True
        allowed[self.end] = not early
        return logits.masked_fill(~allowed, float("-inf"))

    def others(self, hidden, first, noise, cache, turns):
        """The other books of frames [B], drawn one after the other -> codes [B, books] and the sum of their vectors.

        noise: [books - 1, B, top_k]."""
        talker, predictor = self.talker, self.talker.code_predictor
        vector = talker.model.codec_embedding(first)
        total, codes = vector, [first]
        x = torch.stack([hidden, vector], 1)
        for book in range(talker.books - 1):
            at = book + 1 if book else 0
            T = x.shape[1]
            mask = torch.ones(T, at + T, dtype=torch.bool, device=x.device).tril(at)[None, None]
            y = through(predictor.model, predictor.small_to_mtp_projection(x), cache, at, mask, turns)
            code = drawn(predictor.lm_head[book](y[:, -1]), self.temperature, noise[book])
            vector = predictor.model.codec_embedding[book](code)
            total, x = total + vector, vector[:, None]
            codes.append(code)
        return torch.stack(codes, 1), total

    def frame_of(self, rows, like):
        """`others` for so many rows; on a GPU as one recorded graph, since its 2,000 small kernels wait for the host.

        A graph is compared with the function each time that it is asked for."""
        if rows not in self.frames:
            sizes = self.talker.code_predictor.model.sizes
            cache = new_cache(sizes, rows, self.talker.books + 1, like)
            turns = rotary(self.talker.books + 1, sizes.head_dim, sizes.theta, like.device)

            def plain(hidden, first, noise):
                return self.others(hidden, first, noise, cache, turns)

            self.frames[rows] = Recorded(plain, self._examples(rows, like)) if like.is_cuda and self.graphs else plain
        frame = self.frames[rows]
        if isinstance(frame, Recorded) and not frame.is_right(self._examples(rows, like)):
            print("the recorded graph of a frame gives other codes: not used", flush=True)
            self.frames[rows] = frame.function
        return self.frames[rows]

    def _examples(self, rows, like):
        hidden = torch.randn(rows, like.shape[-1], device=like.device).to(like.dtype)
        first = torch.randint(0, self.entries, (rows,), device=like.device)
        return hidden, first, gumbel(self.talker.books - 1, rows, self.top_k, device=like.device)

    @torch.no_grad()
    def __call__(self, tracks, vectors, limits):
        """tracks: [(text ids, codec ids, trailing ids)] of B prompts, vectors [B, H], limits [B] in frames
        -> codes [B, T, books], frames [B], whether they ended [B]."""
        talker, device = self.talker, vectors.device
        prompts = Prompts(tracks, vectors, device)
        x = talker.embed(prompts.track()).to(next(talker.parameters()).dtype)
        B, L = x.shape[:2]
        most = L + int(limits.max())
        cache = new_cache(talker.model.sizes, B, most, x)
        frame = self.frame_of(B, x)
        turns = rotary(most, talker.model.sizes.head_dim, talker.model.sizes.theta, device)
        there = torch.ones(B, most, dtype=torch.bool, device=device)
        there[:, :L] = prompts.text != NONE
        causal = torch.ones(L, L, dtype=torch.bool, device=device).tril()
        # A masked row looks at itself, so that no sum is of nothing.
        mask = (causal & there[:, None, :L]) | torch.eye(L, dtype=torch.bool, device=device)
        hidden = through(talker.model, x, cache, 0, mask[:, None], turns)[:, -1]
        beside = np.stack([trailing_text(track, int(limits.max()), self.text_pad) for track in tracks], 1)
        beside = torch.from_numpy(beside).to(device)
        limits = limits.to(device)
        running = torch.ones(B, dtype=torch.bool, device=device)
        frames, ended = torch.zeros(B, dtype=torch.long, device=device), torch.zeros_like(running)
        made = []
        for number in range(int(limits.max())):
            noise = gumbel(talker.books, B, self.top_k, device=device)
            first = drawn(self.first_logits(hidden, number < EARLY_FRAMES), self.temperature, noise[0])
            ended |= running & (first == self.end)
            running &= (first != self.end) & (number < limits)
            if number % 8 == 0 and not bool(running.any()):
                break
            first = first.clamp(max=self.entries - 1)
            codes, total = frame(hidden, first, noise[1:])
            made.append(codes)
            frames += running
            at = L + number
            text = talker.text_projection(talker.model.text_embedding(beside[number]))
            x = (total + text)[:, None]
            hidden = through(talker.model, x, cache, at, there[:, None, None, : at + 1], turns)[:, -1]
        return torch.stack(made, 1), frames, ended


class Likelihood:
    """How likely a talker finds takes at a temperature: log-probabilities of each code, with gradients."""

    def __init__(self, text_pad, end, entries, temperature=0.6):
        self.text_pad, self.end, self.entries, self.temperature = text_pad, end, entries, temperature

    def batch(self, tracks, vectors, codes, ended):
        """Takes as one batch on the device of `vectors`; codes: [T, books] of each take, ended: [B] bool (numpy)."""
        tail = [
            (trailing_text(track, len(take), self.text_pad), take[:, 0])
            for track, take in zip(tracks, codes, strict=True)
        ]
        device = vectors.device
        prompts = Prompts(tracks, vectors, device, at_end=False, tail=tail)
        track = prompts.track()
        B, L = prompts.text.shape
        books = codes[0].shape[1]
        frames, on = np.zeros((B, L, books), np.int64), np.zeros((B, L), np.float32)
        due, label = [], []
        for row, (track_ids, take) in enumerate(zip(tracks, codes, strict=True)):
            begin = len(track_ids[0])
            frames[row, begin : begin + len(take)], on[row, begin : begin + len(take)] = take, 1
            due.append(row * L + np.arange(begin - 1, begin - 1 + len(take)))
            if ended[row]:
                label.append(row * L + begin - 1 + len(take))
        track["codes"], track["codes_on"] = torch.from_numpy(frames).to(device), torch.from_numpy(on).to(device)
        lengths = np.array([len(take) for take in codes])
        return {
            "track": track,
            "due": torch.from_numpy(np.concatenate(due)).to(device),
            "codes": torch.from_numpy(np.concatenate(codes).astype(np.int64)).to(device),
            "rows": torch.from_numpy(np.repeat(np.arange(B), lengths)).to(device),
            "early": torch.from_numpy(np.concatenate([np.arange(n) < EARLY_FRAMES for n in lengths])).to(device),
            "ends": torch.from_numpy(np.array(label, np.int64)).to(device),
            "end_rows": torch.from_numpy(np.flatnonzero(ended)).to(device),
        }

    def __call__(self, talker, batch):
        """-> (of the first book [N], of the others [N, books - 1], of the ends [E]), log-probabilities."""
        hidden = talker.hidden(batch["track"]).flatten(0, 1)
        spoken = hidden.index_select(0, batch["due"])
        first = self._first(talker.codec_head(spoken).float(), batch["early"]).gather(1, batch["codes"][:, :1])[:, 0]
        ends = self._first(talker.codec_head(hidden.index_select(0, batch["ends"])).float())[:, self.end]
        logits = checkpoint(talker.predict, spoken, batch["codes"], use_reentrant=False)
        others = F.log_softmax(logits.float() / self.temperature, -1).gather(2, batch["codes"][:, 1:, None])[..., 0]
        return first, others, ends

    def _first(self, logits, early=None):
        allowed = torch.zeros(logits.shape[-1], dtype=torch.bool, device=logits.device)
        allowed[: self.entries] = True
        allowed[self.end] = True
        logits = logits.masked_fill(~allowed, float("-inf")) / self.temperature
        if early is not None:
            column = torch.zeros_like(allowed)
            column[self.end] = True
            logits = logits.masked_fill(early[:, None] & column, float("-inf"))
        return F.log_softmax(logits, -1)
