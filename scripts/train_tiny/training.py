"""What every training program shares: ranks, flat parameters, recorded steps, the clock, the curve file, checkpoints."""

import json
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist


class Ranks:
    """One process a GPU (started by run.py or torchrun); on the CPU, and with several on a GPU, the same code over gloo."""

    def __init__(self, device):
        self.rank = int(os.environ.get("RANK", 0))
        self.world = int(os.environ.get("WORLD_SIZE", 1))
        gpus = torch.cuda.device_count() if device == "cuda" else 0
        if gpus:
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)) % gpus)
            self.device = torch.device("cuda", torch.cuda.current_device())
            torch.backends.cudnn.benchmark = True
            torch.backends.cudnn.allow_tf32 = True
        else:
            self.device = torch.device("cpu")
            torch.set_num_threads(1)
        if self.world > 1:
            dist.init_process_group("nccl" if self.world <= gpus else "gloo")  # NCCL refuses two ranks on a GPU

    @property
    def first(self):
        return self.rank == 0

    def autocast(self):
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    def sum(self, tensor):
        if self.world > 1:
            dist.all_reduce(tensor)
        return tensor

    def broadcast(self, tensor):
        if self.world > 1:
            dist.broadcast(tensor, 0)
        return tensor

    def agree(self, value):
        """Rank 0's number on every rank: clocks differ, and a rank that stops alone hangs the others."""
        tensor = torch.tensor([float(value)], device=self.device, dtype=torch.float64)
        return float(self.broadcast(tensor)[0])

    def smallest(self, value):
        tensor = torch.tensor([float(value)], device=self.device, dtype=torch.float64)
        if self.world > 1:
            dist.all_reduce(tensor, op=dist.ReduceOp.MIN)
        return float(tensor[0])

    def total(self, value):
        """The sum of the ranks' numbers."""
        tensor = torch.tensor([float(value)], device=self.device, dtype=torch.float64)
        return float(self.sum(tensor)[0])

    def gathered(self, thing):
        """The ranks' things, as a list on every rank: small ones, for they are pickled."""
        things = [thing] * self.world
        if self.world > 1:
            dist.all_gather_object(things, thing)
        return things

    def close(self):
        if self.world > 1:
            dist.barrier()
            dist.destroy_process_group()


class FlatParameters:
    """All parameters in one tensor, all gradients in another: one all-reduce, one clip and one fused Adam a step."""

    ALIGNMENT = 64

    def __init__(self, parameters, ranks, learning_rate, betas, weight_decay):
        self.parameters = list(parameters)
        self.ranks = ranks
        size = sum(self._room(parameter) for parameter in self.parameters)
        self.values = torch.nn.Parameter(torch.zeros(size, device=ranks.device))
        self.values.grad = torch.zeros_like(self.values)
        self.gradients = self.pieces(self.values.grad)
        for parameter, piece in zip(self.parameters, self.pieces(self.values.data), strict=False):
            piece.copy_(parameter.data)
            parameter.data = piece
        ranks.broadcast(self.values.data)
        self.optimizer = torch.optim.AdamW(
            [self.values], learning_rate, betas=betas, weight_decay=weight_decay, fused=ranks.device.type == "cuda"
        )

    def _room(self, parameter):
        return -(-parameter.numel() // self.ALIGNMENT) * self.ALIGNMENT

    def pieces(self, flat):
        """Views of a flat tensor in the shapes of the parameters."""
        result, start = [], 0
        for parameter in self.parameters:
            result.append(flat[start : start + parameter.numel()].view_as(parameter))
            start += self._room(parameter)
        return result

    def step(self, learning_rate, largest_norm):
        """Average the gradients, clip, step. A step whose gradient is not finite changes no weight by it."""
        gradient = self.values.grad
        if self.ranks.world > 1:
            half = gradient.to(torch.bfloat16) if gradient.is_cuda else gradient.clone()
            gradient.copy_(self.ranks.sum(half))
            gradient.div_(self.ranks.world)
        norm = gradient.norm()
        scale = (largest_norm / (norm + 1e-6)).clamp(max=1.0)
        gradient.copy_(torch.where(torch.isfinite(norm), gradient * scale, torch.zeros_like(gradient)))
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()
        return norm


def differentiate(loss, groups):
    """Write the gradients of a loss into the flat gradients of several FlatParameters, in one backward pass."""
    parameters = [parameter for group in groups for parameter in group.parameters]
    targets = [target for group in groups for target in group.gradients]
    gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
    used = [(target, gradient) for target, gradient in zip(targets, gradients, strict=False) if gradient is not None]
    torch._foreach_copy_([target for target, _ in used], [gradient for _, gradient in used])


class RecordedSteps:
    """Runs a step function; on CUDA it records one graph for each key and replays it, which removes launch costs.

    The function takes a dict of tensors with fixed shapes, writes gradients into fixed tensors and returns a dict of
    tensors. It must draw no random numbers, read no value back and change no state, so that warm-up is harmless.
    """

    WARMUP = 3

    def __init__(self, function, ranks, record):
        self.function = function
        self.record = record and ranks.device.type == "cuda"
        self.graphs = {}
        # One memory for all graphs: they are never replayed at the same time, and a step's outputs are read before the next.
        self.memory = torch.cuda.graph_pool_handle() if self.record else None

    def __call__(self, key, inputs):
        if not self.record:
            return self.function(key, inputs)
        if key not in self.graphs:
            self.graphs[key] = self._capture(key, inputs)
        if self.graphs[key] is None:
            return self.function(key, inputs)
        graph, held, outputs = self.graphs[key]
        for name, tensor in inputs.items():
            held[name].copy_(tensor)
        graph.replay()
        return outputs

    def _capture(self, key, inputs):
        held = {name: tensor.clone() for name, tensor in inputs.items()}
        torch.cuda.synchronize()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(self.WARMUP):
                expected = self.function(key, held)
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        # thread_local: NCCL's watchdog thread may query events while this thread records.
        with torch.cuda.graph(graph, pool=self.memory, capture_error_mode="thread_local"):
            outputs = self.function(key, held)
        outputs = {name: tensor.detach() for name, tensor in outputs.items()}
        graph.replay()
        torch.cuda.synchronize()
        losses = [name for name, tensor in outputs.items() if tensor.ndim == 0]
        same = [torch.allclose(outputs[name], expected[name].detach(), rtol=0.05, atol=1e-3) for name in losses]
        print("recorded", key, {name: round(float(outputs[name]), 4) for name in losses}, flush=True)
        if not all(same):
            print("the recorded step disagrees with the plain one; doing without it:", losses, same, flush=True)
            return None
        return graph, held, outputs


class Clock:
    """Seconds and progress (0 to 1) of a stage that ends at `deadline` (Unix time) and may have begun in an earlier run."""

    def __init__(self, deadline, done=0.0):
        self.begin = time.time()
        self.deadline = deadline
        self.done = done

    def progress(self):
        share = (time.time() - self.begin) / max(self.deadline - self.begin, 1e-3)
        return min(1.0, self.done + (1 - self.done) * share)


def moved(path, deadline):
    """The Unix time in the file `path`, if it is there, else `deadline`: a time box may turn out longer or shorter."""
    try:
        return float(Path(path).read_text()) if path else deadline
    except (OSError, ValueError):
        return deadline


class Curves:
    """Running means on the device, written to a JSON-lines file and the log only now and then."""

    def __init__(self, path, ranks, every_seconds=5.0):
        self.path = Path(path)
        self.ranks = ranks
        self.every = every_seconds
        self.means = {}
        self.last = time.time()
        self.last_step = None
        self.begin = time.time()

    def track(self, values):
        for name, value in values.items():
            value = value.detach().float()
            self.means[name] = value.clone() if name not in self.means else self.means[name].lerp(value, 0.03)

    def due(self):
        return self.ranks.first and time.time() - self.last > self.every

    def write(self, stage, step, **extra):
        now = time.time()
        rate = 0.0 if self.last_step is None else (step - self.last_step) / max(now - self.last, 1e-6)
        self.last, self.last_step = now, step
        row = {
            "stage": stage,
            "unix": round(now, 1),
            "seconds": round(now - self.begin, 1),
            "step": step,
            "steps_per_second": round(rate, 2),
        }
        row |= {name: round(float(value), 5) for name, value in self.means.items()} | extra
        with open(self.path, "a") as file:
            file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


def save(path, state):
    """Never leaves half a file: the last good checkpoint stays until the new one is whole."""
    partial = f"{path}.partial"
    torch.save(state, partial)
    os.replace(partial, path)


def load(path):
    return torch.load(path, map_location="cpu", weights_only=True)


def note(ranks, *words):
    if ranks.first:
        print(f"[{time.strftime('%H:%M:%S')}]", *words, flush=True)
