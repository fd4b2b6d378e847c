"""What happens in the server -> figures in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30)
FACTORS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 5)


class Metrics:
    """Its own registry, so that several servers may live in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.active = Gauge("mlx_tts_active_streams", "Speeches that are being made.", registry=self.registry)
        self.waiting = Gauge("mlx_tts_waiting_requests", "Requests that wait for a row.", registry=self.registry)
        self.rows_used = Gauge("mlx_tts_rows_used", "Rows in use, of all models.", registry=self.registry)
        self.live_rows = Gauge(
            "mlx_tts_live_rows", "Streams that stay in real time, as measured, of all models.", registry=self.registry
        )
        self.requests = Counter(
            "mlx_tts_requests", "Requests for speech by status.", ["status"], registry=self.registry
        )
        self.cancelled = Counter("mlx_tts_cancelled", "Speeches whose client went away.", registry=self.registry)
        self.refused = Counter("mlx_tts_refused", "Requests that found no room.", registry=self.registry)
        self.repeated = Counter("mlx_tts_repeated", "Speeches that were given from memory.", registry=self.registry)
        self.kept_bytes = Gauge("mlx_tts_kept_bytes", "Memory of the speeches that are kept.", registry=self.registry)
        self.first_sound = Histogram(
            "mlx_tts_first_sound_seconds",
            "From the request to its first sound.",
            buckets=SECONDS,
            registry=self.registry,
        )
        self.factor = Histogram(
            "mlx_tts_real_time_factor",
            "Seconds of work a second of speech; below 1 it is faster than it is heard.",
            buckets=FACTORS,
            registry=self.registry,
        )

    def watch(self, used: Callable[[], float], waiting: Callable[[], float], live_rows: Callable[[], float]) -> None:
        """Read the gauges of the queues when they are asked for."""
        self.live_rows.set_function(live_rows)
        self.rows_used.set_function(used)
        self.waiting.set_function(waiting)

    def count(self, status: int) -> None:
        self.requests.labels(str(status)).inc()
        if status == 429:
            self.refused.inc()

    def page(self) -> bytes:
        return generate_latest(self.registry)
