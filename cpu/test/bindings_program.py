# A program for Python's cuda.bindings, as any other: it knows nothing of LuaCUDA.
import ctypes

import numpy as np
from bindings_calls import ADD, call, start
from cuda.bindings import driver

PTX = b".version 7.0\n.target sm_75\n.address_size 64\n" + ADD


def device_and_context():
    device, context = start()
    assert call("cuDriverGetVersion") >= 12000 and call("cuDeviceGetCount") >= 1
    assert call("cuDeviceGetName", 64, device).startswith(b"CPU device")
    assert int(call("cuCtxGetDevice")) == int(device)
    assert int(call("cuCtxGetCurrent")) == int(context)


def launch(function, stream, x, by, n):
    values = ((int(x), by, n), (ctypes.c_uint64, ctypes.c_float, ctypes.c_uint32))
    call("cuLaunchKernel", function, (n + 127) // 128, 1, 1, 128, 1, 1, 0, stream, values, 0)


def copies_and_launches(function):
    host = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
    back = np.zeros_like(host)
    stream = call("cuStreamCreate", driver.CUstream_flags.CU_STREAM_NON_BLOCKING)
    begin, end = call("cuEventCreate", 0), call("cuEventCreate", 0)
    x = call("cuMemAlloc", host.nbytes)
    assert call("cuMemGetAddressRange", int(x) + 12) [1] == host.nbytes
    call("cuMemcpyHtoD", x, host.ctypes.data, host.nbytes)
    call("cuEventRecord", begin, stream)
    launch(function, stream, x, 0.25, host.size)
    call("cuEventRecord", end, stream)
    call("cuStreamSynchronize", stream)
    assert call("cuEventElapsedTime", begin, end) >= 0
    call("cuMemcpyDtoH", back.ctypes.data, x, back.nbytes)
    assert np.array_equal(back, host + np.float32(0.25))
    return stream, x, back


def graphs(function, stream, x, before):
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL
    back = np.zeros_like(before)
    call("cuStreamBeginCapture", stream, mode)
    launch(function, stream, x, 1.0, before.size)
    info = call("cuStreamGetCaptureInfo", stream)
    assert info[0] == driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
    graph = call("cuStreamEndCapture", stream)
    assert call("cuGraphGetNodes", graph, 4)[1] == 1
    executable = call("cuGraphInstantiate", graph, 0)
    for _ in range(3):
        call("cuGraphLaunch", executable, stream)
    call("cuStreamSynchronize", stream)
    call("cuMemcpyDtoH", back.ctypes.data, x, back.nbytes)
    one = np.float32(1)
    assert np.array_equal(back, before + one + one + one)


def fault(function):
    launch(function, 0, 64, 1.0, 1)
    assert driver.cuCtxSynchronize()[0] == driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS
    assert call("cuGetErrorName", driver.CUresult(700)) == b"CUDA_ERROR_ILLEGAL_ADDRESS"


device_and_context()
add = call("cuModuleGetFunction", call("cuModuleLoadData", PTX), b"add")
stream, x, values = copies_and_launches(add)
graphs(add, stream, x, values)
fault(add)
print("ok")
