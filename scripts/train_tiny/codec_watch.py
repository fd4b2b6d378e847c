"""Watches the codec's training: when it breaks, back to the last good state with half the learning rate.

The one full run so far collapsed within 200 steps and then trained 7,000 steps on nothing. Snapshots are copies on the
device, taken and put back between steps: the tensors that recorded steps use stay where they are.
"""

import copy

# In the last phase encoder and books stand still, and the decoder (its average counts) gets the rest of the time.
PHASES = ("continuous", "quantised", "adversarial", "polish")
SNAPSHOT_STEPS = 100
PATIENCE_STEPS = 60
WORST_MEL = 1.4  # times the best smoothed value
GOOD_MEL = 1.2
WORST_EXPLAINED, GOOD_EXPLAINED = 0.3, 0.4
MOST_ROLLBACKS = 5


class Watchdog:
    def __init__(self, ranks, tensors, optimizers):
        """`tensors` are changed in place only; with the optimizers they are all that a rollback puts back."""
        self.ranks = ranks
        self.tensors, self.optimizers = list(tensors), optimizers
        self.means, self.best, self.bad_since = {}, float("inf"), None
        self.snapshot = None
        self.rollbacks = 0

    def track(self, values):
        """Every step {"mel": ..., "explained": ...}; on the device."""
        for name, value in values.items():
            value = value.detach().float()
            self.means[name] = self.means[name].lerp(value, 0.05) if name in self.means else value.clone()

    def check(self, step, quantised, counters):
        """Every few steps. None, or after a rollback (counters, why): what `counters` were at the snapshot."""
        mel, explained = (self.ranks.agree(self.means.get(name, 1.0)) for name in ("mel", "explained"))
        self.best = min(self.best, mel)
        # Not (a < b) rather than a >= b: a value that is no number is bad, too.
        bad = not mel < WORST_MEL * self.best or (quantised and not explained > WORST_EXPLAINED)
        good = mel < GOOD_MEL * self.best and (not quantised or explained > GOOD_EXPLAINED)
        self.bad_since = (self.bad_since or step) if bad else None
        if good and (self.snapshot is None or step - self.snapshot["step"] >= SNAPSHOT_STEPS):
            self._take(step, counters)
        if not bad or step - self.bad_since <= PATIENCE_STEPS:
            return None
        if self.snapshot is None or self.rollbacks >= MOST_ROLLBACKS:
            return None
        why = f"mel {mel:.3f} (best {self.best:.3f}), explained {explained:.3f}: back to step {self.snapshot['step']}"
        self._put_back()
        return dict(self.snapshot["counters"]), why

    def forget_explained(self):
        """After the books were fitted anew the old mean says nothing."""
        self.means.pop("explained", None)

    def _take(self, step, counters):
        self.snapshot = {
            "step": step,
            "counters": dict(counters),
            "tensors": [tensor.detach().clone() for tensor in self.tensors],
            "optimizers": [copy.deepcopy(optimizer.state_dict()) for optimizer in self.optimizers],
        }

    def _put_back(self):
        for tensor, kept in zip(self.tensors, self.snapshot["tensors"], strict=True):
            tensor.data.copy_(kept)
        for optimizer, kept in zip(self.optimizers, self.snapshot["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        self.means, self.bad_since = {}, None
        self.rollbacks += 1
