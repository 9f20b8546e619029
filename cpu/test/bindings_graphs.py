# A program for Python's cuda.bindings: graphs that are built node by node, edges, child graphs, and
# objects that graphs hold. What a graph computes is compared with NumPy; its shape, with a model.
import ctypes
import random
import threading

import numpy as np
from bindings_calls import E, call, download, refuse, start, upload
from bindings_names import PTX
from cuda.bindings import driver

TYPE = driver.CUgraphNodeType
KINDS = {name[len("CU_GRAPH_NODE_TYPE_"):]: value for name, value in TYPE.__members__.items()}
HOST_FN = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
kept = []  # functions that the driver may still call


def host_fn(fn):
    made = HOST_FN(fn)
    kept.append(made)
    return driver.CUhostFn(ctypes.cast(made, ctypes.c_void_p).value)


def copy_of(dst, src, n):
    c = driver.CUDA_MEMCPY3D()
    c.srcMemoryType = c.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    c.srcDevice, c.dstDevice, c.WidthInBytes, c.Height, c.Depth = src, dst, n, 1, 1
    return c


def fill_of(dst, value, n):
    m = driver.CUDA_MEMSET_NODE_PARAMS()
    m.dst, m.value, m.elementSize, m.width, m.height = dst, value, 4, n, 1
    return m


def launch_of(function, x, by, n):
    """Of the kernel `add`. The parameters have to stay until the node is made."""
    k = driver.CUDA_KERNEL_NODE_PARAMS()
    k.func = function
    k.gridDimX, k.gridDimY, k.gridDimZ = (n + 63) // 64, 1, 1
    k.blockDimX, k.blockDimY, k.blockDimZ = 64, 1, 1
    k.kernelParams = ((int(x), by, n), (ctypes.c_uint64, ctypes.c_float, ctypes.c_uint32))
    return k


def host_of(fn, data=0):
    h = driver.CUDA_HOST_NODE_PARAMS()
    h.fn, h.userData = host_fn(fn), data
    return h


def any_node(kind, field, value):
    p = driver.CUgraphNodeParams()
    p.type = KINDS[kind]
    if field:
        setattr(p, field, value)
    return p


def run(graph, stream, times=1):
    executable = call("cuGraphInstantiate", graph, 0)
    for _ in range(times):
        call("cuGraphLaunch", executable, stream)
    call("cuStreamSynchronize", stream)
    return executable


# ---- nodes of each type ----


def nodes(context, function, stream):
    """Fill, add, copy, tell the host: each node waits for the one before."""
    n, told = 200, []
    x, y = upload(np.zeros(n, np.float32)), upload(np.zeros(n, np.float32))
    graph = call("cuGraphCreate", 0)
    one = int(np.float32(1).view(np.uint32))
    fill = call("cuGraphAddMemsetNode", graph, None, 0, fill_of(x, one, n), context)
    add = call("cuGraphAddKernelNode", graph, [fill], 1, launch_of(function, x, 0.5, n))
    copy = call("cuGraphAddMemcpyNode", graph, [add], 1, copy_of(y, x, 4 * n), context)
    host = call("cuGraphAddHostNode", graph, [copy], 1, host_of(told.append, 77))
    empty = call("cuGraphAddEmptyNode", graph, [host], 1)
    made = [fill, add, copy, host, empty]
    assert [call("cuGraphNodeGetType", m) for m in made] \
        == [KINDS[k] for k in ("MEMSET", "KERNEL", "MEMCPY", "HOST", "EMPTY")]
    executable = run(graph, stream, 2)
    assert np.array_equal(download(y, np.zeros(n, np.float32)), np.full(n, 1.5, np.float32))
    assert told == [77, 77]
    assert call("cuGraphHostNodeGetParams", host).userData == 77
    change(graph, executable, made, function, x, y, n, stream, told)
    call("cuGraphDestroy", graph)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphNodeGetType", empty)


def change(graph, executable, made, function, x, y, n, stream, told):
    """Changes of the executable graph, then of the graph: by type, and by cuGraphNodeSetParams."""
    fill, add, copy, host, empty = made
    two = int(np.float32(2).view(np.uint32))
    p = any_node("MEMSET", None, None)
    for name in ("dst", "value", "elementSize", "width", "height"):
        setattr(p.memset, name, getattr(fill_of(x, two, n), name))
    call("cuGraphExecNodeSetParams", executable, fill, p)
    call("cuGraphExecHostNodeSetParams", executable, host, host_of(told.append, 78))
    call("cuGraphLaunch", executable, stream)
    call("cuStreamSynchronize", stream)
    assert np.array_equal(download(y, np.zeros(n, np.float32)), np.full(n, 2.5, np.float32))
    assert told[-1] == 78 and call("cuGraphMemsetNodeGetParams", fill).value != two
    call("cuGraphNodeSetParams", fill, p)
    call("cuGraphKernelNodeSetParams", add, launch_of(function, x, 4.0, n))
    call("cuGraphMemcpyNodeSetParams", copy, copy_of(y, x, 4 * (n - 1)))
    call("cuGraphHostNodeSetParams", host, host_of(told.append, 79))
    assert call("cuGraphMemsetNodeGetParams", fill).value == two
    assert call("cuGraphMemcpyNodeGetParams", copy).WidthInBytes == 4 * (n - 1)
    call("cuMemsetD32", y, 0, n)
    run(call("cuGraphClone", graph), stream)
    want = np.full(n, 6, np.float32)
    want[-1] = 0
    assert np.array_equal(download(y, want), want) and told[-1] == 79
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphNodeSetParams", empty, p)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphMemsetNodeSetParams", fill, fill_of(x, 0, 0))
    refuse(E.CUDA_ERROR_NOT_SUPPORTED, "cuGraphAddNode", graph, None, None, 0,
           any_node("BATCH_MEM_OP", None, None))


# ---- memory ----


def alloc_of(n):
    a = driver.CUDA_MEM_ALLOC_NODE_PARAMS()
    a.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    a.poolProps.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    a.bytesize = n
    return a


def memory(context, function, stream):
    """Two allocations: one that the graph frees, and one that stays, as its result."""
    n, HIGH = 100, driver.CUgraphMem_attribute.CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH
    graph, params = call("cuGraphCreate", 0), [alloc_of(4 * n), alloc_of(4 * n)]
    first, second = [call("cuGraphAddMemAllocNode", graph, None, 0, p) for p in params]
    inner, result = int(params[0].dptr), int(params[1].dptr)
    assert int(call("cuGraphMemAllocNodeGetParams", second).dptr) == result
    fill = call("cuGraphAddMemsetNode", graph, [first], 1, fill_of(inner, 0, n), context)
    add = call("cuGraphAddKernelNode", graph, [fill], 1, launch_of(function, inner, 2.5, n))
    copy = call("cuGraphAddMemcpyNode", graph, [second, add], 2, copy_of(result, inner, 4 * n),
                context)
    free = call("cuGraphAddMemFreeNode", graph, [copy], 1, inner)
    assert int(call("cuGraphMemFreeNodeGetParams", free)) == inner
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphAddMemFreeNode", graph, [copy], 1, inner)
    flag = driver.CUgraphInstantiate_flags.CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
    executable = call("cuGraphInstantiate", graph, flag)
    for _ in range(3):
        call("cuGraphLaunch", executable, stream)
        call("cuStreamSynchronize", stream)
        assert np.array_equal(download(result, np.zeros(n, np.float32)),
                              np.full(n, 2.5, np.float32))
        refuse(E.CUDA_ERROR_INVALID_VALUE, "cuMemFree", inner)
    call("cuMemFreeAsync", result, stream)
    assert int(call("cuDeviceGetGraphMemAttribute", 0, HIGH)) >= 800
    call("cuGraphExecDestroy", executable)
    call("cuGraphDestroy", graph)
    call("cuStreamSynchronize", stream)
    call("cuDeviceGraphMemTrim", 0)
    call("cuDeviceSetGraphMemAttribute", 0, HIGH, driver.cuuint64_t(0))
    assert int(call("cuDeviceGetGraphMemAttribute", 0, HIGH)) == 0


# ---- edges ----


class Model:
    """A graph of empty nodes, and what it should be."""

    def __init__(self, n):
        self.graph = call("cuGraphCreate", 0)
        self.nodes = [call("cuGraphAddEmptyNode", self.graph, None, 0) for _ in range(n)]
        self.edges = set()

    def key(self, nodes):
        place = {int(m): i for i, m in enumerate(self.nodes) if m is not None}
        return sorted(place[int(m)] for m in nodes)

    def reaches(self, a, b):
        return a == b or any(self.reaches(t, b) for f, t in self.edges if f == a)

    def link(self, a, b):
        ends = [self.nodes[a]], [self.nodes[b]]
        if (a, b) in self.edges or self.reaches(b, a):
            refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphAddDependencies", self.graph, *ends, None, 1)
        else:
            call("cuGraphAddDependencies", self.graph, *ends, None, 1)
            self.edges.add((a, b))

    def cut(self, a, b):
        arguments = self.graph, [self.nodes[a]], [self.nodes[b]], None, 1
        if (a, b) in self.edges:
            call("cuGraphRemoveDependencies", *arguments)
            self.edges.remove((a, b))
        else:
            refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphRemoveDependencies", *arguments)

    def destroy(self, a):
        call("cuGraphDestroyNode", self.nodes[a])
        refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphDestroyNode", self.nodes[a])
        self.nodes[a] = None
        self.edges = {e for e in self.edges if a not in e}

    def check(self):
        alive = [i for i, m in enumerate(self.nodes) if m is not None]
        found, n = call("cuGraphGetNodes", self.graph, len(alive) + 1)
        assert n == len(alive) and self.key(found[:n]) == alive
        roots, n = call("cuGraphGetRootNodes", self.graph, len(alive) + 1)
        assert self.key(roots[:n]) == [i for i in alive if all(t != i for _, t in self.edges)]
        starts, ends, _, n = call("cuGraphGetEdges", self.graph, len(self.edges) + 1)
        assert {tuple(self.key([f]) + self.key([t])) for f, t in zip(starts[:n], ends[:n])} \
            == self.edges and n == len(self.edges)
        for i in alive:
            after, _, n = call("cuGraphNodeGetDependentNodes", self.nodes[i], len(alive))
            assert self.key(after[:n]) == sorted(t for f, t in self.edges if f == i)
            before, _, n = call("cuGraphNodeGetDependencies", self.nodes[i], len(alive))
            assert self.key(before[:n]) == sorted(f for f, t in self.edges if t == i)


def edges():
    choice = random.Random(11)
    for _ in range(8):
        model = Model(choice.randint(2, 9))
        for _ in range(60):
            alive = [i for i, m in enumerate(model.nodes) if m is not None]
            if len(alive) < 2:
                break
            a, b = choice.choice(alive), choice.choice(alive)
            choice.choice([model.link, model.link, model.link, model.cut])(a, b)
            if choice.random() < 0.04:
                model.destroy(a)
            model.check()
        call("cuGraphDestroy", model.graph)


def order(stream):
    """Nodes run after those that they depend on, in whatever order they were made."""
    n, ran = 12, []
    graph = call("cuGraphCreate", 0)
    made = [call("cuGraphAddHostNode", graph, None, 0, host_of(ran.append, i + 1))
            for i in range(n)]
    chain = random.Random(3).sample(range(n), n)
    executable = run(graph, stream)
    for a, b in zip(chain, chain[1:]):
        call("cuGraphAddDependencies", graph, [made[a]], [made[b]], None, 1)
    call("cuGraphExecHostNodeSetParams", executable, made[chain[0]], host_of(ran.append, 99))
    ran.clear()
    run(graph, stream)
    assert ran == [i + 1 for i in chain]
    ran.clear()
    call("cuGraphLaunch", executable, stream)
    call("cuStreamSynchronize", stream)
    assert sorted(ran) == sorted([i + 1 for i in range(n) if i != chain[0]] + [99])
    middle = chain[5]
    call("cuGraphDestroyNode", made[middle])
    ran.clear()
    run(graph, stream)
    assert sorted(ran) == sorted(i + 1 for i in chain if i != middle)
    assert [i for i in ran if i - 1 in chain[:5]] == [i + 1 for i in chain[:5]]


# ---- child graphs, events ----


def child_graphs(function, stream):
    n = 50
    x = upload(np.zeros(n, np.float32))
    inner = call("cuGraphCreate", 0)
    node = call("cuGraphAddKernelNode", inner, None, 0, launch_of(function, x, 1.0, n))
    outer = call("cuGraphCreate", 0)
    first = call("cuGraphAddChildGraphNode", outer, None, 0, inner)
    call("cuGraphAddChildGraphNode", outer, [first], 1, inner)
    call("cuGraphKernelNodeSetParams", node, launch_of(function, x, 100.0, n))  # they have copies
    call("cuGraphDestroy", inner)
    run(outer, stream, 3)
    assert np.array_equal(download(x, np.zeros(n, np.float32)), np.full(n, 6, np.float32))
    within = call("cuGraphChildGraphNodeGetGraph", first)
    assert call("cuGraphGetNodes", within, 2)[1] == 1
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphDestroy", within)
    found = call("cuGraphGetNodes", within, 1)[0][0]
    executable = call("cuGraphInstantiate", call("cuGraphClone", outer), 0)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphExecKernelNodeSetParams", executable, found,
           launch_of(function, x, 1.0, n))  # of another graph
    executable = call("cuGraphInstantiate", outer, 0)
    call("cuGraphExecKernelNodeSetParams", executable, found, launch_of(function, x, 10.0, n))
    call("cuGraphLaunch", executable, stream)
    call("cuStreamSynchronize", stream)
    assert np.array_equal(download(x, np.zeros(n, np.float32)), np.full(n, 17, np.float32))


def events(stream):
    """The graph records an event, and another one waits for an event of a stream."""
    done, open_gate, gate = call("cuEventCreate", 0), threading.Event(), call("cuEventCreate", 0)
    other = call("cuStreamCreate", 1)
    call("cuLaunchHostFunc", other, host_fn(lambda _: open_gate.wait(20)), 0)
    call("cuEventRecord", gate, other)
    graph = call("cuGraphCreate", 0)
    wait = call("cuGraphAddEventWaitNode", graph, None, 0, gate)
    record = call("cuGraphAddEventRecordNode", graph, [wait], 1, done)
    assert int(call("cuGraphEventWaitNodeGetEvent", wait)) == int(gate)
    assert int(call("cuGraphEventRecordNodeGetEvent", record)) == int(done)
    executable = call("cuGraphInstantiate", graph, 0)
    call("cuGraphLaunch", executable, stream)
    refuse(E.CUDA_ERROR_NOT_READY, "cuEventQuery", done)
    open_gate.set()
    call("cuEventSynchronize", done)
    call("cuEventQuery", done)
    second = call("cuEventCreate", 0)
    call("cuGraphExecEventRecordNodeSetEvent", executable, record, second)
    call("cuGraphEventRecordNodeSetEvent", record, second)
    call("cuGraphEventWaitNodeSetEvent", wait, second)
    call("cuGraphExecEventWaitNodeSetEvent", executable, wait, done)
    assert int(call("cuGraphEventRecordNodeGetEvent", record)) == int(second)
    call("cuGraphLaunch", executable, stream)
    call("cuEventSynchronize", second)


# ---- captures, instantiation ----


def left_streams(function, origin):
    """A stream that joined a capture may be destroyed before its end, if it was joined back."""
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL
    x = upload(np.zeros(10, np.float32))
    for joined in (True, False):
        side, fork, join = call("cuStreamCreate", 1), call("cuEventCreate", 0), \
            call("cuEventCreate", 0)
        call("cuStreamBeginCapture", origin, mode)
        call("cuEventRecord", fork, origin)
        call("cuStreamWaitEvent", side, fork, 0)
        call("cuMemsetD32Async", x, 5, 10, side)
        if joined:
            call("cuEventRecord", join, side)
            call("cuStreamWaitEvent", origin, join, 0)
        call("cuStreamDestroy", side)
        call("cuMemsetD32Async", x, 6, 5, origin)
        if joined:
            run(call("cuStreamEndCapture", origin), origin)
            assert list(download(x, np.zeros(10, np.int32))) == [6] * 5 + [5] * 5
        else:
            refuse(E.CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "cuStreamEndCapture", origin)


def instantiation():
    graph = call("cuGraphCreate", 0)
    p = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
    p.flags = 8
    executable = call("cuGraphInstantiateWithParams", graph, p)
    assert p.result_out == driver.CUgraphInstantiateResult.CUDA_GRAPH_INSTANTIATE_SUCCESS
    assert int(call("cuGraphExecGetFlags", executable)) == 8


# ---- objects that graphs hold ----


def user_object(ended, name):
    return call("cuUserObjectCreate", 0, host_fn(lambda _: ended.append(name)), 1, 1)


def user_objects(stream):
    ended, gate = [], threading.Event()
    alone = user_object(ended, "alone")
    call("cuUserObjectRetain", alone, 2)
    call("cuUserObjectRelease", alone, 2)
    assert ended == []
    call("cuUserObjectRelease", alone, 1)
    assert ended == ["alone"]
    moved, shared = user_object(ended, "moved"), user_object(ended, "shared")
    graph = call("cuGraphCreate", 0)
    call("cuGraphAddHostNode", graph, None, 0, host_of(lambda _: gate.wait(20)))
    call("cuGraphRetainUserObject", graph, moved, 1, 1)
    call("cuGraphRetainUserObject", graph, shared, 2, 0)
    call("cuUserObjectRelease", shared, 1)
    call("cuGraphReleaseUserObject", graph, shared, 1)
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuGraphReleaseUserObject", graph, shared, 2)
    executable = call("cuGraphInstantiate", graph, 0)
    clone = call("cuGraphClone", graph)
    call("cuGraphDestroy", graph)
    call("cuGraphDestroy", clone)
    call("cuGraphLaunch", executable, stream)
    call("cuGraphExecDestroy", executable)
    assert ended == ["alone"]  # the launch is in progress
    gate.set()
    call("cuStreamSynchronize", stream)
    assert sorted(ended) == ["alone", "moved", "shared"]
    refuse(E.CUDA_ERROR_INVALID_VALUE, "cuUserObjectCreate", 0, host_fn(ended.append), 0, 1)


def without_context():
    """Graphs belong to the device: a thread without a context may look at them and destroy them."""
    ended = []
    graph = call("cuGraphCreate", 0)
    call("cuGraphAddEmptyNode", graph, None, 0)
    call("cuGraphRetainUserObject", graph, user_object(ended, "held"), 1, 1)
    executable = call("cuGraphInstantiate", graph, 0)
    codes = []

    def other_thread():
        codes.append(driver.cuGraphGetNodes(graph, 1)[0])
        codes.append(driver.cuGraphDestroy(graph)[0])
        codes.append(driver.cuGraphExecDestroy(executable)[0])

    thread = threading.Thread(target=other_thread)
    thread.start()
    thread.join()
    assert codes == [0, 0, 0] and ended == ["held"]


if __name__ == "__main__":
    device, context = start()
    function = call("cuModuleGetFunction", call("cuModuleLoadData", PTX), b"add")
    stream = call("cuStreamCreate", 1)
    nodes(context, function, stream)
    memory(context, function, stream)
    edges()
    order(stream)
    child_graphs(function, stream)
    events(stream)
    left_streams(function, stream)
    instantiation()
    user_objects(stream)
    without_context()
    print("ok")
