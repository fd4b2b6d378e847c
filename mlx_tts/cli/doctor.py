"""`mlx-tts doctor`: what this machine is, which kernels work on it, and how fast it speaks, to paste into an issue."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import ConsoleOptions, FetchOptions, ModelOption, grouped

app = new_app()
FRAMES, RUNS = 50, 1


@app.command()
@grouped
def doctor(
    fetch: FetchOptions,
    console_options: ConsoleOptions,
    model: ModelOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of Markdown.")] = False,
) -> None:
    """Check this machine and print a report.

    Checks every kernel for the model again, in a process of its own, and keeps what it finds. Please paste the result
    into an issue when something is slow or sounds wrong.
    """
    from mlx_tts.cli import measurement
    from mlx_tts.cli.model_access import load
    from mlx_tts.library import catalog
    from mlx_tts.models import families

    spec = catalog.find(model or "tiny")
    found: dict[str, Any] = {**_machine(), "model": spec.name}
    if spec.folder is not None and families.is_coreml(spec.folder):
        checkpoint = families.open_checkpoint(spec.folder)
        found["coreml"] = families.coreml_form(checkpoint.info.family).examine(checkpoint)
    else:
        loaded = load(spec, None, fetch, console_options.console)
        found["kernels"] = loaded.examine_kernels()
        row = measurement.row(spec.name, measurement.measure(loaded, FRAMES, RUNS))
        found["bench"] = {"head": measurement.HEAD, "row": row}
    typer.echo(json.dumps(found, indent=1, ensure_ascii=False) if as_json else markdown(found))


def _machine() -> dict[str, Any]:
    import platform
    from importlib import metadata

    from mlx_tts import __version__
    from mlx_tts.cli.measurement import chip
    from mlx_tts.runtime.device import gpu_info
    from mlx_tts.runtime.memory import total_bytes

    gpu = gpu_info()
    told, total = gpu or {}, total_bytes()
    most = int(told.get("max_recommended_working_set_size", 0))
    return {
        "device": chip(),
        "gpu": gpu is not None,
        "architecture": str(told.get("architecture", platform.machine())),
        "system": f"{platform.system()} {platform.mac_ver()[0] or platform.release()}",
        "versions": {
            "mlx-tts": __version__,
            "mlx": metadata.version("mlx"),
            "python": platform.python_version(),
        },
        "memory_gb": round(total / 2**30, 1),
        "wired_limit_gb": round(most / 2**30, 1) if most else None,
        "advice": _memory_advice(total / 2**30),
    }


def _memory_advice(gigabytes: float) -> str:
    if gigabytes < 12:
        return "0.6B models at 4 or 8 bits, and the built-in voice; close other programs for 1.7B"
    return "any model" if gigabytes >= 24 else "0.6B models as they are, 1.7B at 4 or 8 bits"


def markdown(found: dict[str, Any]) -> str:
    """The same for people."""
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    wired = f", wired limit {found['wired_limit_gb']} GB" if found["wired_limit_gb"] else ""
    lines = [
        "## mlx-tts doctor",
        "",
        f"* device: {found['device']} ({found['architecture']}), {found['system']}",
        f"* versions: {versions}",
        f"* memory: {found['memory_gb']} GB{wired}; {found['advice']}",
        f"* model: {found['model']}",
        "",
    ]
    if "coreml" in found:
        lines += _coreml(found["coreml"])
    else:
        lines += [*_kernels(found["kernels"]), "", found["bench"]["head"], found["bench"]["row"]]
    return "\n".join(lines)


def _coreml(found: dict[str, Any]) -> list[str]:
    """Per package: how much of it Core ML plans on the Neural Engine, and what it costs."""
    made = f"Core ML packages of {found['source']}: {found['bits']} bits, norm {found['norm']}"
    lines = [f"{made}, {found['context']} positions", f"Units: {found['units']}", ""]
    lines += ["| package | MB | planned on the Neural Engine | load, s | ms a call |", "|---|---|---|---|---|"]
    for name, row in found["packages"].items():
        if "fault" in row:
            lines.append(f"| {name} | {row['megabytes']:.1f} | {row['fault']} | | |")
        else:
            share = f"{row['on_neural_engine']} of {row['operations']}"
            lines.append(
                f"| {name} | {row['megabytes']:.1f} | {share} | {row['load_seconds']:.2f} | {row['call_ms']:.2f} |"
            )
    return lines


def _kernels(kernels: dict[str, Any] | None) -> list[str]:
    if kernels is None:
        return ["CPU: nothing to check"]
    lines = [f"Form in use: {kernels['form']}, by this check: {kernels['best_form']}", "", "| form | ms a frame |"]
    lines += ["|---|---|", *(f"| {name} | {value:.2f} |" for name, value in kernels["milliseconds"].items())]
    lines += [f"| {name} | failed: {fault} |" for name, fault in kernels["faults"].items()]
    lines += ["", "| kernel | result |", "|---|---|"]
    lines += [f"| {name} | {fault or 'right'} |" for name, fault in kernels["checked"].items()]
    return lines
