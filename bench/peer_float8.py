"""TFLOP/s of torch._scaled_mm of float8_e4m3fn, a row of bench/tiles.lua: SIDE ROUNDS CALLS."""
import statistics
import sys

import torch

side, rounds, calls = map(int, sys.argv[1:4])
torch.set_default_device("cuda")
a = torch.randn(side, side).to(torch.float8_e4m3fn)
b = torch.randn(side, side).to(torch.float8_e4m3fn).t()
one = torch.ones(1)


def multiply():
    return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


def measured():
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(calls):
        multiply()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) / calls


multiply()
print(2 * side ** 3 / statistics.median(measured() for _ in range(rounds)) * 1e-9)
