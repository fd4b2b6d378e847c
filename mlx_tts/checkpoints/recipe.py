"""How far quantised parts of a network move its logits, in; how many bits each part gets, out: for every family.

A part is a group of layers that get the same bits. What its quantisation costs is how far each output moves from that
of the stored weights: for logits the KL divergence, in nats. Costs of parts are added up to choose; the choice is
measured as a whole afterwards, and this measurement alone decides whether it passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import mlx.core as mx

from mlx_tts.errors import RequestError

BITS = (4, 6, 8)
MARGINS = (0.9, 0.8, 0.7, 0.5)  # of the limits, for the sums: they only roughly tell what the whole will be
MEGABYTE = 1_000_000
Divergences = Mapping[str, float]  # output -> how far it moves: nats for logits
Costs = Mapping[str, Mapping[int, Divergences]]  # part -> bits -> its divergences when it alone has so many bits


@dataclass(frozen=True)
class Part:
    """layers: their paths. weights: how many numbers they have. choices: the bits that may be chosen."""

    name: str
    layers: tuple[str, ...]
    weights: int
    choices: tuple[int, ...] = BITS

    def bytes(self, bits: int) -> int:
        """Of the codes alone: scales and biases take the same with all bits."""
        return self.weights * bits // 8


@dataclass(frozen=True)
class Recipe:
    """bits: of each part. costs: see `Costs`. whole: the divergences of all parts together. file_bytes: about what the
    file takes. least_bytes: what it takes where the sums stay within the limits, or None where they never do."""

    parts: tuple[Part, ...]
    bits: Mapping[str, int]
    costs: Costs
    whole: Divergences
    limits: Divergences
    file_bytes: int
    least_bytes: int | None

    @property
    def passes(self) -> bool:
        return _worst(self.whole, self.limits) <= 1

    @property
    def layer_bits(self) -> dict[str, int]:
        """By the layers' paths."""
        return {path: self.bits[part.name] for part in self.parts for path in part.layers}

    @property
    def line(self) -> str:
        """For people."""
        chosen = ", ".join(f"{part.name} {self.bits[part.name]}" for part in self.parts)
        found = "; ".join(f"{name} {self.whole[name]:.4f} (limit {self.limits[name]})" for name in self.limits)
        if self.passes:
            return f"bits: {chosen}; {found}: the gate is passed"
        advice = "" if self.least_bytes is None else f"; try a budget of {megabytes(self.least_bytes)} MB"
        return f"bits: {chosen}; {found}: the gate is MISSED, so this folder is not recommended{advice}"

    @property
    def card(self) -> str:
        """For the model card, in Markdown: how the bits were found, and the table."""
        advice = "" if self.passes else "\n**It misses the gate, so it is not recommended.**\n"
        return f"""How many bits each part has was measured: the model spoke sentences of its own, and read them again
with quantised parts. KL is the divergence, in nats, of the logits from those of the source's weights: of each part
alone, where 8 bits count as 0, then of all parts together. What is not in the table was not measured.
model.safetensors takes about {self.file_bytes / MEGABYTE:.1f} MB.
{advice}
{self.table}"""

    @property
    def table(self) -> str:
        """For the model card, in Markdown: each part alone, then the whole."""
        head = ["part", "weights", "bits", *self.limits]
        rows = [head, ["---"] * len(head)]
        for part in self.parts:
            bits = self.bits[part.name]
            found = self.costs.get(part.name, {}).get(bits, {})
            alone = [f"{found[name]:.4f}" if name in found else "-" for name in self.limits]
            rows.append([part.name, str(part.weights), str(bits), *alone])
        verdict = "passed" if self.passes else "MISSED"
        rows.append(["**whole**", "", "", *(f"**{self.whole[name]:.4f}**" for name in self.limits)])
        rows.append([f"gate: {verdict}", "", "", *(f"at most {limit}" for limit in self.limits.values())])
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def mean_divergence(reference: Sequence[mx.array], others: Sequence[mx.array]) -> float:
    """Pairs of logits [..., V] -> the mean over all rows of KL(reference || other), in nats."""
    total, rows = 0.0, 0
    for mine, other in zip(reference, others, strict=True):
        logs, their_logs = (_log_probabilities(logits) for logits in (mine, other))
        divergence = (mx.exp(logs) * (logs - their_logs)).sum(-1)
        total += divergence.sum().item()  # type: ignore[assignment, operator]
        rows += divergence.size
    return total / rows


def _log_probabilities(logits: mx.array) -> mx.array:
    logits = logits.astype(mx.float32)
    return logits - mx.logsumexp(logits, axis=-1, keepdims=True)


def choose(
    parts: Sequence[Part],
    costs: Costs,
    limits: Divergences,
    budget_bytes: int | None = None,
    other_bytes: int = 0,
    margin: float = 1.0,
) -> dict[str, int]:
    """Bits of each part. Without a budget: the fewest bytes whose summed divergences are within the limits times
    `margin`. With one: the least worst divergence, measured by its limit, of what fits.

    costs: of fewer than 8 bits; what is not there counts as 0. other_bytes: of all else in the file. RequestError where
    nothing fits the budget; it names the least that fits the limits.
    """
    options = [_Option(parts, bits, costs, limits, other_bytes) for bits in product(*(part.choices for part in parts))]
    if budget_bytes is None:
        within = [option for option in options if option.worst <= margin]  # with 8 bits everywhere it is 0
        return min(within, key=lambda option: (option.file_bytes, option.worst)).bits
    fitting = [option for option in options if option.file_bytes <= budget_bytes]
    if not fitting:
        least = least_passing(parts, costs, limits, other_bytes)
        raise RequestError(
            f"a budget of {megabytes(budget_bytes)} MB is too small for this model: give {megabytes(least)} MB or more"
        )
    return min(fitting, key=lambda option: (option.worst, option.file_bytes)).bits


def least_passing(parts: Sequence[Part], costs: Costs, limits: Divergences, other_bytes: int) -> int:
    """The fewest bytes of a file whose summed divergences are within the limits, with the first of the margins."""
    bits = choose(parts, costs, limits, None, other_bytes, MARGINS[0])
    return other_bytes + sum(part.bytes(bits[part.name]) for part in parts)


def find_recipe(
    parts: Sequence[Part],
    costs: Costs,
    limits: Divergences,
    measure: Callable[[Mapping[str, int]], Divergences],
    budget_bytes: int | None = None,
    other_bytes: int = 0,
) -> Recipe:
    """Choose and measure the whole, with ever smaller margins until it passes. measure: bits of each part -> the
    divergences of all parts together. A budget leaves one choice, which may miss the limits."""
    least = least_passing(parts, costs, limits, other_bytes)
    tried: dict[tuple[int, ...], Divergences] = {}
    for margin in MARGINS if budget_bytes is None else (1.0,):
        bits = choose(parts, costs, limits, budget_bytes, other_bytes, margin)
        key = tuple(bits.values())
        if key not in tried:
            tried[key] = measure(bits)
        file_bytes = other_bytes + sum(part.bytes(bits[part.name]) for part in parts)
        recipe = Recipe(tuple(parts), bits, costs, tried[key], limits, file_bytes, least)
        if recipe.passes:
            break
    return recipe


class _Option:
    """One number of bits for each part: its bytes, and its summed divergence over the limit where that is worst."""

    def __init__(
        self, parts: Sequence[Part], bits: Sequence[int], costs: Costs, limits: Divergences, other_bytes: int
    ) -> None:
        self.bits = {part.name: own for part, own in zip(parts, bits, strict=True)}
        self.file_bytes = other_bytes + sum(part.bytes(own) for part, own in zip(parts, bits, strict=True))
        alone = [costs.get(name, {}).get(own, {}) for name, own in self.bits.items()]
        self.worst = _worst({name: sum(cost.get(name, 0.0) for cost in alone) for name in limits}, limits)


def _worst(divergences: Divergences, limits: Divergences) -> float:
    """Over its limit; above 1 it is not within."""
    return max(divergences[name] / limit for name, limit in limits.items())


def megabytes(size: int) -> int:
    """Rounded up, so that a budget of so many is enough."""
    return -(-size // MEGABYTE)
