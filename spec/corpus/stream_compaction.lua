-- Compaction: a warp reserves places for its kept elements with one atomic (order within a warp is
-- kept, the order of warps is free).
local N = 4000

return {
  source = [[
    __global__ void keep_odd(const int *x, int n, int *out, int *count) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i];
        if (v & 1) {
          unsigned active = __activemask();
          int lane = threadIdx.x % 32, leader = __ffs(active) - 1, at = 0;
          if (lane == leader) at = atomicAdd(count, __popc(active));
          at = __shfl_sync(active, at, leader) + __popc(active & ((1u << lane) - 1));
          out[at] = v;
        }
      }
    }]],
  run = function(kernels, t)
    local x, want = t.integers(N, 10000), {}
    for _, v in ipairs(x) do if v % 2 == 1 then want[#want + 1] = v end end
    local out, count = t.cuda.zeros(N, "int32"), t.cuda.zeros(1, "int32")
    kernels.keep_odd({ grid = 3, block = 96 }, t.cuda.array(x, "int32"), N, out, count)
    t.same(#want, count[1], "count")
    local got = table.move(out:totable(), 1, #want, 1, {})
    table.sort(want)
    table.sort(got)
    t.same(want, got)
  end,
}
