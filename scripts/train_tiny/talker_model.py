"""Talker and code predictor: tensor names equal `talker.*` of the official checkpoint; whole sequences, no cache."""

import torch
import torch.nn.functional as F
from layers import Attention, GatedMLP, RMSNorm, rotary
from torch import nn


class Layer(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.self_attn = Attention(sizes, head_norms=True)
        self.mlp = GatedMLP(sizes.hidden, sizes.ffn)
        self.input_layernorm = RMSNorm(sizes.hidden, 1e-6)
        self.post_attention_layernorm = RMSNorm(sizes.hidden, 1e-6)

    def forward(self, x, cos, sin):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class Transformer(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        self.layers = nn.ModuleList([Layer(sizes) for _ in range(sizes.layers)])
        self.norm = RMSNorm(sizes.hidden, 1e-6)

    def forward(self, x, watched=None):
        """[B, T, H] -> [B, T, H]; with the index of a layer to watch also the input of that layer."""
        cos, sin = rotary(x.shape[1], self.sizes.head_dim, self.sizes.theta, x.device)
        seen = None
        for index, layer in enumerate(self.layers):
            seen = x if index == watched else seen
            x = layer(x, cos, sin)
        return self.norm(x) if watched is None else (self.norm(x), seen)


class TextProjection(nn.Module):
    def __init__(self, text_hidden, hidden):
        super().__init__()
        self.linear_fc1 = nn.Linear(text_hidden, text_hidden)
        self.linear_fc2 = nn.Linear(text_hidden, hidden)

    def forward(self, x):
        return self.linear_fc2(F.silu(self.linear_fc1(x)))


class CodePredictor(nn.Module):
    def __init__(self, sizes, books, entries, talker_hidden):
        super().__init__()
        self.model = Transformer(sizes)
        self.model.codec_embedding = nn.ModuleList([nn.Embedding(entries, talker_hidden) for _ in range(books - 1)])
        self.lm_head = nn.ModuleList([nn.Linear(sizes.hidden, entries, bias=False) for _ in range(books - 1)])
        same = sizes.hidden == talker_hidden
        self.small_to_mtp_projection = nn.Identity() if same else nn.Linear(talker_hidden, sizes.hidden)


class Talker(nn.Module):
    def __init__(self, sizes, text_vocabulary):
        super().__init__()
        talker = sizes.talker.talker
        self.books = sizes.codec.books
        self.model = Transformer(talker)
        self.model.codec_embedding = nn.Embedding(sizes.talker_vocabulary, talker.hidden)
        self.model.text_embedding = nn.Embedding(text_vocabulary, sizes.talker.text_hidden)
        self.text_projection = TextProjection(sizes.talker.text_hidden, talker.hidden)
        self.codec_head = nn.Linear(talker.hidden, sizes.talker_vocabulary, bias=False)
        self.code_predictor = CodePredictor(sizes.talker.predictor, self.books, sizes.codec.entries, talker.hidden)
        self._initialise()

    def _initialise(self):
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=0.7 * module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        nn.init.normal_(self.model.text_embedding.weight, std=0.5)
        nn.init.normal_(self.model.codec_embedding.weight, std=0.3)
        for embedding in self.code_predictor.model.codec_embedding:
            nn.init.normal_(embedding.weight, std=0.1)
        for transformer in (self.model, self.code_predictor.model):
            for layer in transformer.layers:
                layer.self_attn.o_proj.weight.data.mul_((2 * len(transformer.layers)) ** -0.5)
                layer.mlp.down_proj.weight.data.mul_((2 * len(transformer.layers)) ** -0.5)

    def embed(self, track):
        """A track of text ids, codec ids and frames of codes, each with its mask -> the talker's input [B, T, H]."""
        x = self.text_projection(self.model.text_embedding(track["text"])) * track["text_on"][..., None]
        x = x + self.model.codec_embedding(track["codec"]) * track["codec_on"][..., None]
        tables, index = self._book_tables(track["codes"][..., 1:])
        codes = F.embedding_bag(index.flatten(0, 1), tables, mode="sum").view(*index.shape[:2], -1)
        x = x + codes * track["codes_on"][..., None]
        if "vectors" in track:  # [B, H] of the speaker encoder, or zeros
            x = x + track["vectors"][:, None] * track["vector_on"][..., None]
        return x

    def _book_tables(self, codes):
        """The tables of all books but the first as one, and where codes [..., books] stand in it: one kernel, not 15."""
        tables = [embedding.weight for embedding in self.code_predictor.model.codec_embedding]
        first = torch.arange(codes.shape[-1], device=codes.device) * len(tables[0])
        return torch.cat(tables[: codes.shape[-1]]), codes + first

    def hidden(self, track):  # -> final normed hidden [B, T, H]
        return self.model(self.embed(track))

    def hidden_and_guide(self, track):
        """`hidden`, and how far two heads of a middle layer look away from the text that is being spoken.

        Left alone, a talker whose last frame says much about the next one learns sound by heart and never learns to
        read (see README). The loss is -log of the attention that falls near the right text position (Tachibana et al.
        2017 guide attention to the diagonal in the same spirit), over all positions at which a frame is due.
        """
        index = len(self.model.layers) // 2
        hidden, x = self.model(self.embed(track), index)
        layer, sizes = self.model.layers[index], self.model.sizes
        T = x.shape[1]
        cos, sin = rotary(T, sizes.head_dim, sizes.theta, x.device)
        q, k = layer.self_attn.queries_and_keys(layer.input_layernorm(x), cos, sin)
        q, k = q[:, : sizes.heads // sizes.kv_heads], k[:, :1]  # the query heads of the first key head
        logits = (q @ k.transpose(2, 3)).float() * sizes.head_dim**-0.5
        after = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        share = logits.masked_fill(after, float("-inf")).softmax(-1)
        near = guide(track)
        mass = (share * near[:, None]).sum(-1)
        due = track["due"][:, None].to(mass.dtype)
        return hidden, -((mass + 1e-4).log() * due).sum() / (due.sum() * mass.shape[1])

    def predict(self, hidden, codes):
        """Teacher-forced logits of books 1...: hidden [N, H], codes [N, books] -> [N, books - 1, entries]."""
        predictor = self.code_predictor
        tables, index = self._book_tables(codes[:, 1:-1])
        first = self.model.codec_embedding(codes[:, :1])
        inputs = torch.cat([hidden[:, None], first.to(hidden.dtype), F.embedding(index, tables).to(hidden.dtype)], 1)
        y = predictor.model(predictor.small_to_mtp_projection(inputs))
        heads = torch.stack([head.weight for head in predictor.lm_head])
        return torch.einsum("nbh,beh->nbe", y[:, 1:], heads)


def guide(track):
    """[B, T, T]: 1 where a key is the text id being spoken when the query's frame is due, falling off around it."""
    distance = track["text_index"][:, None, :] - track["spoken_index"][:, :, None]
    width = 1.5 + 0.04 * track["text_length"][:, None, None]
    return torch.exp(-0.5 * (distance / width) ** 2) * track["is_text"][:, None, :]
