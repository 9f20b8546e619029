-- Segmented scan and reduction by key within warps: flags of segment heads as ballots.
local N = 256

return {
  source = [[
    __global__ void segments(const int *keys, const int *x, int *y, int *totals) {
      int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
      int key = keys[i], v = x[i], left = __shfl_up_sync(~0u, key, 1);
      bool head = lane == 0 || left != key;
      unsigned heads = __ballot_sync(~0u, head);
      int start = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
      for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, v, d);
        if (lane - d >= start) v += u;
      }
      y[i] = v;
      bool last = lane == 31 || (heads >> (lane + 1) & 1);
      if (last) atomicAdd(&totals[key], v);
    }]],
  run = function(kernels, t)
    local key = 0
    local keys = t.list(N, function()
      if t.random(4) == 0 then key = key + 1 end
      return key
    end)
    local x = t.integers(N, 100)
    local y, totals = t.cuda.empty(N, "int32"), t.cuda.zeros(key + 1, "int32")
    kernels.segments({ grid = 2, block = N // 2 }, t.cuda.array(keys, "int32"),
      t.cuda.array(x, "int32"), y, totals)
    local sum, sums = 0, t.list(key + 1, function() return 0 end)
    t.same(t.list(N, function(i)
      if (i - 1) % 32 == 0 or keys[i] ~= keys[i - 1] then sum = 0 end
      sum = sum + x[i]
      sums[keys[i] + 1] = sums[keys[i] + 1] + x[i]
      return sum
    end), y, "scan")
    t.same(sums, totals, "totals")
  end,
}
