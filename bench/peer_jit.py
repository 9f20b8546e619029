"""Microseconds of launches of kernels written in Python, with CuPy and Numba where they are
installed. Prints "name value" lines."""
import statistics
import time

BATCHES, LAUNCHES, ROUNDS = 51, 200, 3


def call_us(fn, synchronize):
    best = float("inf")
    for _ in range(ROUNDS):
        values = []
        for _ in range(BATCHES):
            start = time.perf_counter()
            for _ in range(LAUNCHES):
                fn()
            values.append((time.perf_counter() - start) * 1e6 / LAUNCHES)
            synchronize()
        best = min(best, statistics.median(values))
    return best


def measure_cupy():
    import cupy
    from cupyx import jit

    @jit.rawkernel()
    def saxpy(a, x, y, n):
        i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        if i < n:
            y[i] = a * x[i] + y[i]

    x = cupy.zeros(256, dtype=cupy.float32)
    y = cupy.zeros(256, dtype=cupy.float32)
    a, n = cupy.float32(2), cupy.int32(256)
    saxpy((1,), (256,), (a, x, y, n))
    print(f"cupy_jit {call_us(lambda: saxpy((1,), (256,), (a, x, y, n)), synchronize_cupy):.4f}")


def synchronize_cupy():
    import cupy
    cupy.cuda.Device().synchronize()


def measure_numba():
    import numpy
    from numba import cuda

    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = a * x[i] + y[i]

    x = cuda.to_device(numpy.zeros(256, numpy.float32))
    y = cuda.to_device(numpy.zeros(256, numpy.float32))
    a = numpy.float32(2)
    configured = saxpy[1, 256]
    configured(a, x, y)
    print(f"numba_jit {call_us(lambda: configured(a, x, y), cuda.synchronize):.4f}")


for measure in (measure_cupy, measure_numba):
    try:
        measure()
    except Exception as error:
        print(f"# {measure.__name__}: {error}", flush=True)
