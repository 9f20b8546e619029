"""How the rows of peer_arrays.py and peer_torch.py are measured: as bench/measure.lua does."""
import os
import statistics
import sys
import time

N, SIDE = 1 << 28, 1 << 14
RUNS = int(os.environ.get("LUACUDA_BENCH_RUNS", "11"))
REPEAT = 5 if RUNS > 1 else 1
ROUNDS = min(RUNS, 5)
BATCHES, CALLS = (51, 200) if RUNS > 1 else (1, 1)


class Peer:
    """A library: how its events are made and their time is read, how it waits and frees memory."""

    def __init__(self, event, elapsed_ms, synchronize, free):
        self.event, self.elapsed_ms, self.synchronize, self.free = (
            event, elapsed_ms, synchronize, free)

    def device_ms(self, fn):
        def run(times):
            start, stop = self.event(), self.event()
            start.record()
            for _ in range(times):
                fn()
            stop.record()
            stop.synchronize()
            return self.elapsed_ms(start, stop) / times

        fn()
        first = run(1)
        times = 1 if first > 20 else REPEAT
        return statistics.median(run(times) for _ in range(1 if first > 200 else RUNS))

    def rate(self, count, fn):
        """GB/s of a call that reads and writes `count` bytes, or 10^9 of `count` elements."""
        return count * 1e-6 / self.device_ms(fn)

    def call_us(self, fn):
        values = []
        for _ in range(BATCHES):
            start = time.perf_counter()
            for _ in range(CALLS):
                fn()
            values.append((time.perf_counter() - start) * 1e6 / CALLS)
            self.synchronize()
        return statistics.median(values)

    def row(self, name, make):
        if sys.argv[1:] and name not in sys.argv[1:]:
            return
        try:
            print(f"{name} {make():.4f}", flush=True)
        except Exception as e:
            print(f"{name}: {e}", file=sys.stderr)
        self.free()

    def calls(self, rows):
        best = {name: float("inf") for name in rows if not sys.argv[1:] or name in sys.argv[1:]}
        for _ in range(ROUNDS):
            for name in best:
                best[name] = min(best[name], self.call_us(rows[name]))
        for name, us in best.items():
            print(f"{name} {us:.4f}", flush=True)
