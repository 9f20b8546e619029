-- CUB for warps: scan, reduction, exchange and merge sort, in whole warps and in parts of them.
local N = 64

return {
  heavy = true,
  needs = "cub/warp/warp_scan.cuh",
  source = [[
    #include <cub/warp/warp_scan.cuh>
    #include <cub/warp/warp_reduce.cuh>
    #include <cub/warp/warp_exchange.cuh>
    #include <cub/warp/warp_merge_sort.cuh>
    struct less { __device__ bool operator()(int a, int b) const { return a < b; } };
    struct longest { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
    __global__ void warps(const int *x, int *prefix, int *most, int *eights, int *sorted,
                          int *swapped) {
      using scan_t = cub::WarpScan<int>;
      using reduce_t = cub::WarpReduce<int>;
      using eight_t = cub::WarpReduce<int, 8>;
      using sort_t = cub::WarpMergeSort<int, 2, 16>;
      using exchange_t = cub::WarpExchange<int, 2, 16>;
      __shared__ scan_t::TempStorage scan[2];
      __shared__ reduce_t::TempStorage reduce[2];
      __shared__ eight_t::TempStorage eight[8];
      __shared__ sort_t::TempStorage sort[4];
      __shared__ exchange_t::TempStorage exchange[4];
      int i = threadIdx.x, warp = i / 32, v = x[i], sum;
      scan_t(scan[warp]).ExclusiveSum(v, sum);
      prefix[i] = sum;
      int best = reduce_t(reduce[warp]).Reduce(v, longest());
      if (i % 32 == 0) most[warp] = best;
      int part = eight_t(eight[i / 8]).Sum(v);
      if (i % 8 == 0) eights[i / 8] = part;
      int two[2] = { x[2 * i], x[2 * i + 1] };
      sort_t(sort[i / 16]).Sort(two, less());
      sorted[2 * i] = two[0];
      sorted[2 * i + 1] = two[1];
      exchange_t(exchange[i / 16]).BlockedToStriped(two, two);
      swapped[i / 16 * 32 + i % 16] = two[0];
      swapped[i / 16 * 32 + i % 16 + 16] = two[1];
    }]],
  run = function(kernels, t)
    local x = t.list(2 * N, function() return t.random(1000) - 500 end)
    local prefix, most, eights, sorted = {}, {}, {}, {}
    local sum = 0
    for i = 1, N do
      if (i - 1) % 32 == 0 then sum = 0 end
      prefix[i], sum = sum, sum + x[i]
      local w, e = (i - 1) // 32 + 1, (i - 1) // 8 + 1
      most[w] = math.max(most[w] or x[i], x[i])
      eights[e] = (eights[e] or 0) + x[i]
    end
    for part = 0, 3 do
      local piece = table.move(x, part * 32 + 1, part * 32 + 32, 1, {})
      table.sort(piece)
      table.move(piece, 1, 32, part * 32 + 1, sorted)
    end
    local made = {}
    for i, n in ipairs { N, 2, N // 8, 2 * N, 2 * N } do made[i] = t.cuda.empty(n, "int32") end
    kernels.warps({ grid = 1, block = N }, t.cuda.array(x, "int32"), table.unpack(made))
    t.same(prefix, made[1], "scan")
    t.same(most, made[2], "reduction")
    t.same(eights, made[3], "parts")
    t.same(sorted, made[4], "sort")
    t.same(sorted, made[5], "exchange")
  end,
}
