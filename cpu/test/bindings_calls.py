# What the programs for cuda.bindings share.
import numpy as np
from cuda.bindings import driver

E = driver.CUresult


def call(name, *arguments):
    """The results of a call that succeeds."""
    result, *values = getattr(driver, name)(*arguments)
    assert result == 0, f"{name}: {result}"
    return values[0] if len(values) == 1 else tuple(values)


def refuse(code, name, *arguments):
    """A call that fails with this code."""
    result = getattr(driver, name)(*arguments)[0]
    assert result == code, f"{name}: {result} instead of {code}"


def start(ordinal=0):
    """A device and its primary context, which becomes current."""
    call("cuInit", 0)
    device = call("cuDeviceGet", ordinal)
    context = call("cuDevicePrimaryCtxRetain", device)
    call("cuCtxSetCurrent", context)
    return device, context


def upload(values):
    p = call("cuMemAlloc", values.nbytes)
    call("cuMemcpyHtoD", p, values.ctypes.data, values.nbytes)
    return p


def download(p, like):
    back = np.zeros_like(like)
    call("cuMemcpyDtoH", back.ctypes.data, p, back.nbytes)
    return back
