return {
  title = "Environment variables",
  text = [[
    They are read when the device, the compiler or the cache is first used. If one of them names a
    library that cannot be used, the first use of that library raises an error.

    `LUACUDA_CPU_CHECK` says what the CPU device checks in kernels: `default` reports accesses
    outside of any array, misaligned accesses, use of freed memory, deadlocks and livelocks; `all`
    also races, uninitialized reads, writes to memory that is read as constant, integer overflow in
    addresses, shuffles that read from absent lanes and threads of a block that wait at different
    barriers; `off` checks no memory access, so that a wrong one damages the process.]],
  table = {
    { "variable", "value" },
    { "LUACUDA_DEVICE", "Device that a script starts with: `0`, `1` and so on, `gpu` or `cpu`." },
    { "LUACUDA_DEBUG",
      "List of `sync`, `launch` and `api`: switches of `cuda.debug` that are on from the start." },
    { "LUACUDA_ERRORS",
      "`string`: errors are raised as their text in every Lua state of the process." },
    { "LUACUDA_CACHE_DIR", "Folder of the [cache](#cache) of compiled code." },
    { "LUACUDA_DISABLE_CACHE", "`1`: compiled code is not kept on disk." },
    { "LUACUDA_NVRTC", "File of the compiler library; no other place is searched." },
    { "LUACUDA_NVCC",
      "Program for `backend = \"nvcc\"`, a path or a name in `PATH`; no other place is searched." },
    { "LUACUDA_CUDA_HOME", "CUDA toolkit, searched before `CUDA_HOME` and `CUDA_PATH`." },
    { "LUACUDA_SITE_PACKAGES", "Folders of Python's `nvidia` packages, separated by colons; those "
      .. "of `VIRTUAL_ENV`, `CONDA_PREFIX` and the user's Python are searched in any case." },
    { "LUACUDA_LIBCUDA",
      "File of the driver library; no other place is searched. `off`: use no driver." },
    { "LUACUDA_LIBCPU", "File of the CPU device's library, by default the one next to "
      .. "`luacuda/core.so`. `off` or empty: there is no CPU device." },
    { "LUACUDA_PROGRESS", [[`off`: no line on stderr while a compilation takes longer than two
      seconds or `cuda.tune` searches. It is shown only where stderr is a terminal.]] },
    { "LUACUDA_FLAGS", "Flags for every compilation, separated by blanks." },
    { "LUACUDA_NVJITLINK", "File of nvJitLink, for the option `lto`." },
    { "LUACUDA_LIBCUBLAS", "File of cuBLAS; `off` or empty: LuaCUDA's own matrix products." },
    { "LUACUDA_LIBBLAS", [[CPU device: file of a BLAS for matrix products; `off` or empty: LuaCUDA's
      own kernels. Without it OpenBLAS, MKL, BLIS, FlexiBLAS or Accelerate are used if one is found,
      also in a Python environment.]] },
    { "LUACUDA_LIBNCCL", "File of NCCL, by which communicators of GPUs exchange data; `off` or "
      .. "empty: none." },
    { "LUACUDA_LIBMPI", [[CPU device: file of Open MPI or MPICH, over which communicators exchange
      data; `off` or empty: none.]] },
    { "LUACUDA_LIBZ", "File of zlib; `off` or empty: PNG pictures are written without "
      .. "compression, and compressed files cannot be read." },
    { "LUACUDA_CPU_THREADS", "CPU device: threads that run blocks, 1 to 1024 (all cores)." },
    { "LUACUDA_CPU_CHECK", "CPU device: `default`, `all` or `off`, as above." },
    { "LUACUDA_CPU_TIMEOUT_MS",
      [[CPU device: how long a kernel or a loop of a graph may run, in milliseconds; one that runs
        longer fails (`0`: no limit).]] },
    { "LUACUDA_CPU_LIVELOCK_MS", [[CPU device: how long a kernel may wait in loops without storing
      anything, in milliseconds (`5000`).]] },
    { "LUACUDA_CPU_ARCH", [[CPU device: its compute capability: `75`, `80`, `90`, `100` or `120`
      (`80`).]] },
    { "LUACUDA_CPU_MEMORY",
      [[CPU device: its memory in bytes, or with K, M or G (that of the machine or container).]] },
    { "LUACUDA_CPU_GPUS",
      [[The CPU device's library, opened as `LUACUDA_LIBCUDA` under another file name, is this many
        GPUs (1 to 4): for tests of programs for GPUs where there is none. `2,exclusive`: GPUs that
        cannot use managed memory while the host does.]] },
    { "LUACUDA_CPU_JIT",
      [[CPU device, where libLLVM 15 or later is found: `on` compiles kernels in the background
        while they run, uses that code if it is faster, and keeps it on disk for the first launch
        of later processes; `force` compiles them before their first launch; `off` interprets them
        (`on`).]] },
    { "LUACUDA_LLVM",
      "File of libLLVM; no other place is searched. Loading the first module opens it." },
    { "LUACUDA_CPU_ISA",
      [[CPU device: the x86-64 level to use, `v2`, `v3` or `v4`. The build and the processor must
      have it (the highest that both have).]] },
  },
  parts = {},
}
