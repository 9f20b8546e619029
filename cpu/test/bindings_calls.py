# What the programs for cuda.bindings share.
import numpy as np
from cuda.bindings import driver

E = driver.CUresult

# Adds `by` to n floats at x.
ADD = b"""\
.visible .entry add (.param .u64 x, .param .f32 by, .param .u32 n) {
  .reg .b32 %r<6>; .reg .b64 %d<5>; .reg .pred %p; .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p bra END;
  ld.param.u64 %d1, [x]; cvta.to.global.u64 %d1, %d1;
  mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2;
  ld.global.f32 %f1, [%d3]; ld.param.f32 %f2, [by]; add.f32 %f3, %f1, %f2;
  st.global.f32 [%d3], %f3;
END: ret;
}
"""


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
