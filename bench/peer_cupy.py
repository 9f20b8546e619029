"""The measurements of bench/gpu.lua and bench/tables.lua with CuPy. Prints "name value" lines.

peer_cupy.py all | first: the measurements of limit.c.
"""
import statistics
import sys
import time

import cupy
import numpy

BATCHES, LAUNCHES, GRAPH, COPY_BYTES = 101, 200, 1000, 256 << 20
SAXPY = r"""
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}"""


def batch_us(fn):
    values = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            fn()
        values.append((time.perf_counter() - start) * 1e6 / LAUNCHES)
        cupy.cuda.Device().synchronize()
    return statistics.median(values)


def best_ms(fn):
    values = []
    for _ in range(7):
        start = time.perf_counter()
        fn()
        values.append((time.perf_counter() - start) * 1e3)
    return min(values)


def copy_gbs(copy):
    values = []
    for _ in range(11):
        start = time.perf_counter()
        copy()
        cupy.cuda.Device().synchronize()
        values.append(time.perf_counter() - start)
    return COPY_BYTES * 1e-9 / statistics.median(values)


def first():
    saxpy = cupy.RawKernel(SAXPY, "saxpy")
    x = cupy.arange(1000, dtype=cupy.float32)
    y = cupy.arange(1000, dtype=cupy.float32)
    saxpy((4,), (256,), (numpy.float32(2), x, y, numpy.int32(1000)))
    assert y.get()[999] == 2997


def report(name, value):
    print(f"{name} {value:.4f}")


def measure():
    saxpy = cupy.RawKernel(SAXPY, "saxpy")
    x = cupy.zeros(256, dtype=cupy.float32)
    arguments = (numpy.float32(2), x, x, numpy.int32(0))
    saxpy((1,), (256,), arguments)
    report("launch_prepared", batch_us(lambda: saxpy((1,), (256,), arguments)))
    report("launch_table", batch_us(
        lambda: saxpy((1,), (256,), (numpy.float32(2), x, x, numpy.int32(0)))))

    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for _ in range(GRAPH):
            saxpy((1,), (256,), arguments)
        graph = stream.end_capture()
    values = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        graph.launch(stream)
        stream.synchronize()
        values.append((time.perf_counter() - start) * 1e6 / GRAPH)
    report("graph_replay", statistics.median(values))

    report("alloc_free_1MiB", batch_us(lambda: cupy.empty(262144, dtype=cupy.float32)))
    report("from_dlpack", batch_us(lambda: cupy.from_dlpack(x)))

    for name, count in (("4B", 4), ("4KiB", 4096)):
        host = numpy.zeros(count, dtype=numpy.uint8)
        there = cupy.zeros(count, dtype=cupy.uint8)

        def copy_in():
            there.set(host)
            cupy.cuda.Device().synchronize()

        report("h2d_" + name, batch_us(copy_in))
        report("d2h_" + name, batch_us(lambda: there.get(out=host)))

    memory = cupy.cuda.alloc_pinned_memory(COPY_BYTES)
    pinned = numpy.frombuffer(memory, numpy.uint8, COPY_BYTES)
    pinned[:] = 1
    device = cupy.empty(COPY_BYTES, dtype=cupy.uint8)
    report("pinned_to_device", copy_gbs(lambda: device.set(pinned)))
    report("device_to_pinned", copy_gbs(lambda: device.get(out=pinned)))

    numbers = [i * 0.5 for i in range(1, 1000001)]
    array = cupy.array(numbers, dtype=cupy.float32)

    def to_array():
        cupy.array(numbers, dtype=cupy.float32)
        cupy.cuda.Device().synchronize()

    report("table_to_array", best_ms(to_array))
    report("array_to_table", best_ms(lambda: array.tolist()))


if __name__ == "__main__":
    first() if sys.argv[1] == "first" else measure()
