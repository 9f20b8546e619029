# A program for Python's cuda.bindings: libraries and kernels, pools, streams and contexts. Each
# answer is compared with what the program knows in another way.
import ctypes
import pathlib
import sys

import numpy as np
from bindings_calls import ADD, E, call, download, refuse, start, upload
from cuda.bindings import driver

PTX = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .global .u32 count = 7;
.visible .global .attribute(.managed) .u32 word[2];
.extern .shared .align 4 .b8 dynamic[];
.visible .entry bump () {
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [count]; add.u32 %r2, %r1, 1; st.global.u32 [count], %r2;
  st.shared.u32 [dynamic], %r1;
  ret;
}
""" + ADD
ATTRIBUTE = driver.CUfunction_attribute
DYNAMIC = ATTRIBUTE.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
DEVICE = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
random = np.random.default_rng(5)


def load(text=PTX):
    return call("cuLibraryLoadData", text, [], [], 0, [], [], 0)


def launch_add(f, x, by, n, stream=0):
    values = ((int(x), by, n), (ctypes.c_uint64, ctypes.c_float, ctypes.c_uint32))
    call("cuLaunchKernel", f, (n + 63) // 64, 1, 1, 64, 1, 1, 0, stream, values, 0)


def launch_bump(f, shared=4):
    return driver.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, shared, 0, ((), ()), 0)[0]


def number(p):
    return int(download(p, np.zeros(1, np.uint32))[0])


# ---- libraries ----


def library_contents(library):
    kernels = {name: call("cuLibraryGetKernel", library, name) for name in (b"add", b"bump")}
    assert call("cuLibraryGetKernelCount", library) == 2
    listed = call("cuLibraryEnumerateKernels", 2, library)
    assert {int(k) for k in listed} == {int(k) for k in kernels.values()}
    for name, k in kernels.items():
        assert call("cuKernelGetName", k) == name
        assert int(call("cuKernelGetLibrary", k)) == int(library)
        f = call("cuKernelGetFunction", k)
        assert int(f) != int(k) and call("cuFuncGetName", f) == name
        module = call("cuLibraryGetModule", library)
        assert int(call("cuFuncGetModule", f)) == int(module)
        assert int(call("cuModuleGetFunction", module, name)) == int(f)
    add = kernels[b"add"]
    for i, place in enumerate([(0, 8), (8, 4), (12, 4)]):
        assert place == call("cuKernelGetParamInfo", add, i) == call("cuFuncGetParamInfo", add, i)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuKernelGetParamInfo", kernels[b"add"], 3)
    refuse(E.CUDA_ERROR_NOT_FOUND, "cuLibraryGetKernel", library, b"subtract")
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuKernelGetName", None)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuFuncGetName", None)
    refuse(E.CUDA_ERROR_INVALID_HANDLE, "cuKernelGetName", driver.CUkernel(int(f)))
    refuse(E.CUDA_ERROR_INVALID_HANDLE, "cuModuleUnload", call("cuLibraryGetModule", library))
    return kernels


def variables(library, bump):
    p, size = call("cuLibraryGetGlobal", library, b"count")
    assert size == 4 and number(p) == 7
    module = call("cuLibraryGetModule", library)
    assert int(call("cuModuleGetGlobal", module, b"count")[0]) == int(p)
    assert launch_bump(bump) == 0 and number(p) == 8
    managed, size = call("cuLibraryGetManaged", library, b"word")
    assert size == 8 and number(managed) == 0
    refuse(E.CUDA_ERROR_NOT_FOUND, "cuLibraryGetManaged", library, b"count")
    refuse(E.CUDA_ERROR_NOT_FOUND, "cuLibraryGetGlobal", library, b"nothing")


def launches(add):
    host = random.standard_normal(777).astype(np.float32)
    x = upload(host)
    launch_add(add, x, 0.5, host.size)
    assert np.array_equal(download(x, host), host + np.float32(0.5))
    stream = call("cuStreamCreate", 1)
    call("cuStreamBeginCapture", stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL)
    launch_add(add, x, 1.0, host.size, stream)
    graph = call("cuGraphInstantiate", call("cuStreamEndCapture", stream), 0)
    call("cuGraphLaunch", graph, stream)
    call("cuStreamSynchronize", stream)
    assert np.array_equal(download(x, host), host + np.float32(0.5) + np.float32(1))


def settings(device, bump):
    f = call("cuKernelGetFunction", bump)
    assert launch_bump(bump, 60000) == E.CUDA_ERROR_INVALID_VALUE
    call("cuKernelSetAttribute", DYNAMIC, 60000, bump, device)
    assert call("cuKernelGetAttribute", DYNAMIC, bump, device) == 60000
    assert call("cuFuncGetAttribute", DYNAMIC, f) == 60000
    assert launch_bump(bump, 60000) == 0
    call("cuKernelSetCacheConfig", bump, driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_L1, device)
    for i in range(10):
        assert call("cuKernelGetAttribute", ATTRIBUTE(i), bump, device) \
            == call("cuFuncGetAttribute", ATTRIBUTE(i), f)
    refuse(E.CUDA_ERROR_INVALID_DEVICE, "cuKernelGetAttribute", DYNAMIC, bump, 99)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuKernelSetAttribute", DYNAMIC, -1, bump, device)


def other_contexts(device, library, kernels):
    """Each context has variables and functions of its own, for the same kernels."""
    here = call("cuLibraryGetGlobal", library, b"count")[0]
    before, f = number(here), call("cuKernelGetFunction", kernels[b"bump"])
    context = call("cuCtxCreate", None, 0, device)
    there = call("cuLibraryGetGlobal", library, b"count")[0]
    assert int(there) != int(here) and number(there) == 7
    assert int(call("cuKernelGetFunction", kernels[b"bump"])) != int(f)
    assert call("cuKernelGetAttribute", DYNAMIC, kernels[b"bump"], device) == 60000
    assert launch_bump(kernels[b"bump"]) == 0 and number(there) == 8
    assert launch_bump(f) == E.CUDA_ERROR_INVALID_HANDLE  # of the first context
    launches(kernels[b"add"])
    call("cuCtxDestroy", context)
    assert number(here) == before and launch_bump(kernels[b"bump"]) == 0
    assert number(here) == before + 1


def ways_to_load(folder):
    path = folder / "code.ptx"
    path.write_bytes(PTX)
    library = call("cuLibraryLoadFromFile", str(path).encode(), [], [], 0, [], [], 0)
    k = call("cuLibraryGetKernel", library, b"bump")
    call("cuLibraryUnload", library)
    refuse(E.CUDA_ERROR_FILE_NOT_FOUND, "cuLibraryLoadFromFile", b"/nowhere.ptx", [], [], 0, [], [],
           0)
    refuse(E.CUDA_ERROR_NO_BINARY_FOR_GPU, "cuLibraryLoadData", b"\x7fELF" + bytes(64), [], [], 0,
           [], [], 0)
    refuse(E.CUDA_ERROR_INVALID_IMAGE, "cuLibraryLoadData", b"nothing", [], [], 0, [], [], 0)
    refuse(E.CUDA_ERROR_INVALID_PTX, "cuLibraryLoadData", PTX.replace(b"ret;", b"retx;"), [], [], 0,
           [], [], 0)
    link = call("cuLinkCreate", 0, [], [])
    kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
    call("cuLinkAddFile", link, kind, str(path).encode(), 0, [], [])
    image, size = call("cuLinkComplete", link)
    module = call("cuModuleLoadData", ctypes.string_at(image, size) + b"\0")
    assert call("cuFuncGetName", call("cuModuleGetFunction", module, b"add")) == b"add"


def libraries(device, folder):
    library = load()
    kernels = library_contents(library)
    variables(library, kernels[b"bump"])
    launches(kernels[b"add"])
    settings(device, kernels[b"bump"])
    other_contexts(device, library, kernels)
    twin = load()
    assert int(call("cuLibraryGetGlobal", twin, b"count")[0]) \
        != int(call("cuLibraryGetGlobal", library, b"count")[0])
    call("cuLibraryUnload", twin)
    ways_to_load(folder)
    return library, kernels


def after_reset(device, library, kernels):
    """A library outlives the context that it was loaded in."""
    call("cuDevicePrimaryCtxReset", device)
    assert number(call("cuLibraryGetGlobal", library, b"count")[0]) == 7
    launches(kernels[b"add"])
    call("cuLibraryUnload", library)


# ---- pools ----


def pool_of(p):
    attribute = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
    return int(call("cuPointerGetAttribute", attribute, p))


def pool_number(pool, name):
    attribute = getattr(driver.CUmemPool_attribute, "CU_MEMPOOL_ATTR_" + name)
    return int(call("cuMemPoolGetAttribute", pool, attribute))


def location(device):
    where = driver.CUmemLocation()
    where.type, where.id = DEVICE, int(device)
    return where


def own_pool(device):
    props = driver.CUmemPoolProps()
    props.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.location = location(device)
    return call("cuMemPoolCreate", props)


def pools(device):
    pinned = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    standard = call("cuDeviceGetDefaultMemPool", device)
    assert int(call("cuDeviceGetMemPool", device)) == int(standard)
    assert int(call("cuMemGetDefaultMemPool", location(device), pinned)) == int(standard)
    stream, values = call("cuStreamCreate", 1), random.integers(0, 256, 5000).astype(np.uint8)
    used = pool_number(standard, "USED_MEM_CURRENT")
    p = call("cuMemAllocAsync", values.nbytes, stream)
    assert pool_of(p) == int(standard)
    assert pool_number(standard, "USED_MEM_CURRENT") >= used + values.nbytes
    call("cuMemcpyHtoDAsync", p, values.ctypes.data, values.nbytes, stream)
    call("cuStreamSynchronize", stream)
    assert np.array_equal(download(p, values), values)
    call("cuMemFreeAsync", p, stream)
    call("cuStreamSynchronize", stream)
    assert pool_number(standard, "USED_MEM_CURRENT") == used
    assert pool_number(standard, "RELEASE_THRESHOLD") == 0
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuMemPoolDestroy", standard)
    mine = own_pool(device)
    call("cuDeviceSetMemPool", device, mine)
    assert int(call("cuDeviceGetMemPool", device)) == int(mine)
    assert int(call("cuMemGetMemPool", location(device), pinned)) == int(mine)
    p = call("cuMemAllocAsync", 100, stream)
    assert pool_of(p) == int(mine)
    call("cuMemFreeAsync", p, stream)
    call("cuMemPoolDestroy", mine)
    assert int(call("cuDeviceGetMemPool", device)) == int(standard)
    assert call("cuMemPoolGetAccess", standard, location(device)) \
        == driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    refuse(E.CUDA_ERROR_INVALID_DEVICE, "cuDeviceGetDefaultMemPool", 99)
    return standard


def pools_of_two(pool):
    """The pools of two GPUs: apart until access is given."""
    other = call("cuDeviceGet", 1)
    flags = driver.CUmemAccess_flags
    assert int(call("cuDeviceGetDefaultMemPool", other)) != int(pool)
    assert call("cuMemPoolGetAccess", pool, location(other)) == flags.CU_MEM_ACCESS_FLAGS_PROT_NONE
    access = driver.CUmemAccessDesc()
    access.location, access.flags = location(other), flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    call("cuMemPoolSetAccess", pool, [access], 1)
    assert call("cuMemPoolGetAccess", pool, location(other)) == access.flags
    theirs = call("cuDeviceGetDefaultMemPool", other)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuDeviceSetMemPool", call("cuDeviceGet", 0), theirs)
    context = call("cuDevicePrimaryCtxRetain", other)
    call("cuCtxPushCurrent", context)
    assert pool_of(call("cuMemAllocAsync", 64, 0)) == int(theirs)
    assert int(call("cuStreamGetDevice", 0)) == 1
    call("cuCtxPopCurrent")


# ---- streams, contexts, devices ----


def streams(device, context):
    ids, streams = set(), [call("cuStreamCreate", 1) for _ in range(5)]
    for s in streams + [driver.CUstream(0)]:
        assert int(call("cuStreamGetCtx", s)) == int(context)
        assert int(call("cuStreamGetDevice", s)) == int(device)
        ids.add(call("cuStreamGetId", s))
    assert len(ids) == 6
    call("cuStreamDestroy", streams[0])
    assert call("cuStreamGetId", call("cuStreamCreate", 1)) not in ids
    other = call("cuCtxCreate", None, 0, device)
    s = call("cuStreamCreate", 1)
    assert int(call("cuStreamGetCtx", s)) == int(other)
    assert call("cuCtxGetId", other) == call("cuCtxGetId", None) != call("cuCtxGetId", context)
    call("cuCtxDestroy", other)
    refuse(E.CUDA_ERROR_INVALID_CONTEXT, "cuCtxGetId", other)


def callbacks():
    calls = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    fn = kind(lambda s, status, data: calls.append((s, status, data)))
    stream = call("cuStreamCreate", 1)
    address = ctypes.cast(fn, ctypes.c_void_p).value
    for i in range(3):
        call("cuStreamAddCallback", stream, driver.CUstreamCallback(address), i + 1, 0)
    call("cuStreamSynchronize", stream)
    assert calls == [(int(stream), 0, i + 1) for i in range(3)], calls
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuStreamAddCallback", stream,
           driver.CUstreamCallback(address), 0, 1)


def devices(device):
    names = driver.CUdevice_attribute
    major, minor = (call("cuDeviceGetAttribute", getattr(
        names, "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_" + n), device) for n in ("MAJOR", "MINOR"))
    assert tuple(call("cuDeviceComputeCapability", device)) == (major, minor)
    call("cuProfilerStart")
    call("cuProfilerStop")
    call("cuCtxResetPersistingL2Cache")
    assert call("cuModuleGetLoadingMode") == driver.CUmoduleLoadingMode.CU_MODULE_LAZY_LOADING


def copies_of_boxes(device, context):
    """A part of a box, with the contexts named."""
    shape, (z, y, x) = (4, 5, 6), (1, 2, 3)
    host = random.standard_normal(shape).astype(np.float32)
    src, dst = upload(host), upload(np.zeros_like(host))
    c = driver.CUDA_MEMCPY3D_PEER()
    c.srcMemoryType = c.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    c.srcDevice, c.dstDevice, c.srcContext, c.dstContext = src, dst, context, context
    c.srcXInBytes, c.srcY, c.srcZ = 4 * x, y, z
    c.srcPitch = c.dstPitch = 4 * shape[2]
    c.srcHeight = c.dstHeight = shape[1]
    c.WidthInBytes, c.Height, c.Depth = 4 * 2, 3, 2
    call("cuMemcpy3DPeer", c)
    want = np.zeros_like(host)
    want[:2, :3, :2] = host[z:z + 2, y:y + 3, x:x + 2]
    assert np.array_equal(download(dst, host), want)


# ---- words of memory ----

WAIT = driver.CUstreamWaitValue_flags
WAYS = {
    WAIT.CU_STREAM_WAIT_VALUE_GEQ: lambda word, value, bits:
        (word - value) % 2**bits < 2**(bits - 1),
    WAIT.CU_STREAM_WAIT_VALUE_EQ: lambda word, value, bits: word == value,
    WAIT.CU_STREAM_WAIT_VALUE_AND: lambda word, value, bits: word & value != 0,
    WAIT.CU_STREAM_WAIT_VALUE_NOR: lambda word, value, bits: ~(word | value) % 2**bits != 0,
}


def wait_for_word(bits, kind, how, value, before, after):
    """A stream that waits for a word goes on when, and not before, its condition holds."""
    writer, waiter = call("cuStreamCreate", 1), call("cuStreamCreate", 1)
    write, wait = (f"cuStream{verb}Value{bits}" for verb in ("Write", "Wait"))
    p = upload(np.array([before, 0], kind))
    second = driver.CUdeviceptr(int(p) + bits // 8)
    call(wait, waiter, p, value, how)
    call(write, waiter, second, 7, 0)
    refuse(E.CUDA_ERROR_NOT_READY, "cuStreamQuery", waiter)
    assert download(p, np.zeros(2, kind))[1] == 0
    call(write, writer, p, after, 0)
    call("cuStreamSynchronize", waiter)
    assert list(download(p, np.zeros(2, kind))) == [after, 7]
    call("cuStreamDestroy", writer)
    call("cuStreamDestroy", waiter)


def words():
    for bits, kind in ((32, np.uint32), (64, np.uint64)):
        edge = [0, 1, 2**bits - 1, 2**(bits - 1), int(random.integers(0, 2**31))]
        for how, met in WAYS.items():
            for value in edge:
                yes = [w for w in edge if met(w, value, bits)]
                no = [w for w in edge if not met(w, value, bits)]
                for before, after in zip(no, yes):
                    wait_for_word(bits, kind, how, value, before, after)
    p = upload(np.zeros(2, np.uint32))
    odd = driver.CUdeviceptr(int(p) + 2)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuStreamWriteValue32", 0, odd, 1, 0)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuStreamWaitValue32", 0, p, 1, 4)
    end = driver.CUdeviceptr(int(p) + 8)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuStreamWriteValue64", 0, end, 1, 0)


# ---- CUDA arrays in one row ----


def arrays():
    kind = driver.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT8
    describe = driver.CUDA_ARRAY_DESCRIPTOR()
    describe.Width, describe.Height, describe.Format, describe.NumChannels = 100, 0, kind, 1
    a, b = call("cuArrayCreate", describe), call("cuArrayCreate", describe)
    found = call("cuArrayGetDescriptor", a)
    assert (found.Width, found.Height, found.Format, found.NumChannels) == (100, 0, kind, 1)
    host = random.integers(0, 256, 100).astype(np.uint8)
    model = {"a": np.zeros(100, np.uint8), "b": np.zeros(100, np.uint8)}
    for array in (a, b):
        call("cuMemcpyHtoA", array, 0, model["a"].ctypes.data, 100)
    p = upload(host)
    call("cuMemcpyHtoA", a, 10, host.ctypes.data, 50)
    model["a"][10:60] = host[:50]
    call("cuMemcpyDtoA", b, 3, p, 70)
    model["b"][3:73] = host[:70]
    call("cuMemcpyAtoA", a, 20, b, 5, 15)
    model["a"][20:35] = model["b"][5:20]
    call("cuMemcpyAtoD", p, a, 30, 40)
    assert np.array_equal(download(p, host)[:40], model["a"][30:70])
    for array, want in ((a, model["a"]), (b, model["b"])):
        back = np.zeros(100, np.uint8)
        call("cuMemcpyAtoH", back.ctypes.data, array, 0, 100)
        assert np.array_equal(back, want)


# ---- others ----


def occupancy(bump):
    """The most dynamic shared memory with which n blocks fit; with one byte more, fewer do."""
    call("cuKernelSetAttribute", DYNAMIC, 90000, bump, call("cuCtxGetDevice"))
    for n in (1, 2, 3, 5):
        most = call("cuOccupancyAvailableDynamicSMemPerBlock", bump, n, 64)
        count = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        assert call(count, bump, 64, most) >= n
        assert most == 90000 or call(count, bump, 64, most + 1) < n
        assert call(count + "WithFlags", bump, 64, most, 1) == call(count, bump, 64, most)


def without_context():
    """Attributes of pointers need no context; an allocation of 0 bytes returns a null pointer."""
    p = upload(np.zeros(4))
    q = call("cuMemAllocAsync", 0, 0)
    assert int(q) == 0
    call("cuMemFreeAsync", q, 0)
    context = call("cuCtxPopCurrent")
    kind = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    assert call("cuPointerGetAttribute", kind, p) == 2
    assert call("cuPointerGetAttributes", 1, [kind], p) in ([2], (2,), 2)
    refuse(E.CUDA_ERROR_INVALID_CONTEXT, "cuMemAlloc", 4)
    call("cuCtxPushCurrent", context)


def pointers(device):
    """Attributes of pointers, one by one and together."""
    names = driver.CUpointer_attribute
    kinds = [getattr(names, "CU_POINTER_ATTRIBUTE_" + n) for n in (
        "CONTEXT", "MEMORY_TYPE", "DEVICE_POINTER", "SYNC_MEMOPS", "BUFFER_ID", "IS_MANAGED",
        "DEVICE_ORDINAL", "IS_LEGACY_CUDA_IPC_CAPABLE", "RANGE_START_ADDR", "RANGE_SIZE", "MAPPED",
        "ALLOWED_HANDLE_TYPES", "IS_GPU_DIRECT_RDMA_CAPABLE", "ACCESS_FLAGS", "MEMPOOL_HANDLE")]
    ids = set()
    for size in (1, 1000, 4096):
        p = driver.CUdeviceptr(int(call("cuMemAlloc", size)) + size // 2)
        each = [call("cuPointerGetAttribute", k, p) for k in kinds]
        assert [str(v) for v in each] \
            == [str(v) for v in call("cuPointerGetAttributes", len(kinds), kinds, p)]
        found = dict(zip(kinds, each))
        assert found[names.CU_POINTER_ATTRIBUTE_RANGE_SIZE] == size
        assert found[names.CU_POINTER_ATTRIBUTE_MAPPED]
        assert not found[names.CU_POINTER_ATTRIBUTE_IS_MANAGED]
        assert found[names.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL] == int(device)
        ids.add(int(found[names.CU_POINTER_ATTRIBUTE_BUFFER_ID]))
        sync = names.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
        for on in (True, False):
            call("cuPointerSetAttribute", on, sync, p)
            assert call("cuPointerGetAttribute", sync, p) == on
        refuse(E.CUDA_ERROR_INVALID_VALUE, "cuPointerSetAttribute", True, sync,
               driver.CUdeviceptr(64))
    assert len(ids) == 3


def old_calls(device, add):
    """Calls that cuda.bindings lacks and PyCUDA makes, through the symbols. A context ends with its
    last use."""
    library = ctypes.CDLL("libcuda.so.1")
    f = ctypes.c_void_p(int(call("cuKernelGetFunction", add)))
    most = call("cuFuncGetAttribute", ATTRIBUTE.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f.value)
    for shape, fits in (((8, 4, 2), 1), ((most, 1, 1), 1), ((most, 2, 1), 0), ((0, 1, 1), 0)):
        assert library.cuFuncSetBlockShape(f, *shape) == (0 if fits else 1)
    assert library.cuTexRefCreate(ctypes.byref(f)) == 801  # NOT_SUPPORTED
    context = call("cuCtxCreate", None, 0, device)
    again = ctypes.c_void_p()
    assert library.cuCtxAttach(ctypes.byref(again), 0) == 0 and again.value == int(context)
    assert library.cuCtxDetach(again) == 0
    assert int(call("cuCtxGetCurrent")) == int(context)
    assert library.cuCtxDetach(again) == 0
    assert int(call("cuCtxGetCurrent")) != int(context)
    assert library.cuCtxDetach(again) == 201  # INVALID_CONTEXT


# ---- advice about managed memory ----

PAGE = 4096
ADVICE = ["READ_MOSTLY", "PREFERRED_LOCATION", "ACCESSED_BY"]


def place(dev):
    where = driver.CUmemLocation()
    kinds = driver.CUmemLocationType
    where.type = kinds.CU_MEM_LOCATION_TYPE_HOST if dev < 0 else kinds.CU_MEM_LOCATION_TYPE_DEVICE
    where.id = dev
    return where


def asked(p, n, name, size=4):
    attribute = getattr(driver.CUmem_range_attribute, "CU_MEM_RANGE_ATTRIBUTE_" + name)
    return call("cuMemRangeGetAttribute", size, attribute, p, n)


def advise_some(p, model, devices):
    """Says something of a random range, and keeps in mind what holds for each page."""
    first, last = sorted(int(i) for i in random.integers(0, len(model) + 1, 2))
    dev, what, on = int(random.choice(devices)), int(random.integers(0, 4)), random.random() < 0.7
    at, n = driver.CUdeviceptr(int(p) + first * PAGE), (last - first) * PAGE
    if n == 0:
        return
    if what == 3:
        call("cuMemPrefetchAsync", at, n, place(dev), 0, 0)
    else:
        name = f"CU_MEM_ADVISE_{'SET' if on else 'UNSET'}_{ADVICE[what]}"
        call("cuMemAdvise", at, n, getattr(driver.CUmem_advise, name), place(dev))
    for page in model[first:last]:
        if what == 0:
            page["mostly"] = on
        elif what == 1:
            page["preferred"] = dev if on else -2
        elif what == 2:
            page["accessed"] = page["accessed"] | {dev} if on else page["accessed"] - {dev}
        else:
            page["fetched"] = dev


def same(values):
    return values[0] if all(v == values[0] for v in values) else -2


def check_advice(p, model, devices):
    first, last = sorted(int(i) for i in random.integers(0, len(model) + 1, 2))
    if first == last:
        return
    at, n, pages = driver.CUdeviceptr(int(p) + first * PAGE), (last - first) * PAGE, \
        model[first:last]
    assert asked(at, n, "READ_MOSTLY") == all(page["mostly"] for page in pages)
    preferred, fetched = (same([page[k] for page in pages]) for k in ("preferred", "fetched"))
    assert asked(at, n, "PREFERRED_LOCATION") == preferred
    assert asked(at, n, "LAST_PREFETCH_LOCATION") == fetched
    kinds = driver.CUmemLocationType
    kind = kinds.CU_MEM_LOCATION_TYPE_DEVICE if preferred >= 0 else \
        kinds.CU_MEM_LOCATION_TYPE_HOST if preferred == -1 else kinds.CU_MEM_LOCATION_TYPE_INVALID
    try:
        assert asked(at, n, "PREFERRED_LOCATION_TYPE") == kind
    except TypeError:  # cuda.bindings 13.0 has no way to ask
        pass
    everywhere = [d for d in devices if all(d in page["accessed"] for page in pages)]
    assert asked(at, n, "ACCESSED_BY", 4 * (len(devices) + 1)) \
        == everywhere + [-2] * (len(devices) + 1 - len(everywhere))


def advice():
    devices = [*range(call("cuDeviceGetCount")), -1]
    for _ in range(6):
        model = [{"mostly": False, "preferred": -2, "accessed": frozenset(), "fetched": -2}
                 for _ in range(6)]
        p = call("cuMemAllocManaged", len(model) * PAGE, 1)
        for _ in range(60):
            advise_some(p, model, devices)
            check_advice(p, model, devices)
        call("cuMemFree", p)  # the next block may have its address, and nothing was said of it
    node = driver.CUmemLocation()
    node.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST_NUMA
    prefer = driver.CUmem_advise.CU_MEM_ADVISE_SET_PREFERRED_LOCATION
    q = call("cuMemAllocManaged", PAGE, 1)
    call("cuMemAdvise", q, PAGE, prefer, node)
    assert asked(q, PAGE, "PREFERRED_LOCATION") == -1
    node.id = 77
    refuse(E.CUDA_ERROR_INVALID_DEVICE, "cuMemAdvise", q, PAGE, prefer, node)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuMemRangeGetAttribute", 4,
           driver.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, PAGE)


def lacking():
    """What the library lacks is not found."""
    for name in ("cuTexRefCreate", "cuGraphAddBatchMemOpNode", "cuCtxFromGreenCtx"):
        result = driver.cuGetProcAddress(name.encode(), 13000, 0)
        assert result[0] == 0 and int(result[1]) == 0
        kind = driver.CUdriverProcAddressQueryResult
        assert result[2] == kind.CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND


if __name__ == "__main__":
    device, context = start()
    library, kernels = libraries(device, pathlib.Path(sys.argv[1]))
    pool = pools(device)
    if call("cuDeviceGetCount") > 1:
        pools_of_two(pool)
    streams(device, context)
    callbacks()
    devices(device)
    copies_of_boxes(device, context)
    words()
    arrays()
    occupancy(kernels[b"bump"])
    without_context()
    pointers(device)
    advice()
    old_calls(device, kernels[b"add"])
    lacking()
    after_reset(device, library, kernels)
    assert int(call("cuDeviceGetDefaultMemPool", device)) == int(pool)
    print("ok")
