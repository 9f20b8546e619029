-- Cooperative groups: tiles of a block and their shuffles, votes and meta data; reduce and scan;
-- coalesced groups; labeled and binary partitions.
return {
  heavy = true,
  source = [[
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    namespace cg = cooperative_groups;
    template <int SIZE> __device__ int turned(const int *x) {
      auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
      int v = x[threadIdx.x];
      int sum = cg::reduce(tile, v, cg::plus<int>());
      int up = cg::inclusive_scan(tile, v, cg::greater<int>());
      return sum + up * 1000 + tile.shfl_xor(v, SIZE / 2) * 100000
        + (int)tile.meta_group_rank() * 10000000;
    }
    __global__ void tiles(const int *x, int *y) {
      y[threadIdx.x] = turned<4>(x);
      y[threadIdx.x + 64] = turned<16>(x);
      y[threadIdx.x + 128] = turned<32>(x);
    }
    __global__ void labels(const int *x, int *sizes, int *sums, int *ranks) {
      auto warp = cg::tiled_partition<32>(cg::this_thread_block());
      int i = threadIdx.x, v = x[i];
      auto same = cg::labeled_partition(warp, v % 5);
      sizes[i] = same.size();
      sums[i] = cg::reduce(same, v, cg::plus<int>());
      auto odd = cg::binary_partition(warp, v & 1);
      ranks[i] = odd.thread_rank() + cg::exclusive_scan(odd, 100);
    }
    __global__ void coalesced(const int *x, int *y, int *count) {
      int v = x[threadIdx.x];
      if (v % 3 == 0) {
        auto g = cg::coalesced_threads();
        int at = 0;
        if (g.thread_rank() == 0) at = atomicAdd(count, g.size());
        at = g.shfl(at, 0);
        y[at + g.thread_rank()] = g.shfl(v, g.size() - 1) + (int)g.any(v > 90) * 1000;
        g.sync();
      }
    }]],
  run = function(kernels, t)
    local x = t.integers(64, 9)
    local a, y = t.cuda.array(x, "int32"), t.cuda.empty(192, "int32")
    kernels.tiles({ grid = 1, block = 64 }, a, y)
    local want = {}
    for _, size in ipairs { 4, 16, 32 } do
      for i = 0, 63 do
        local first, sum, top = i // size * size, 0, 0
        for k = first, first + size - 1 do
          sum = sum + x[k + 1]
          if k <= i then top = math.max(top, x[k + 1]) end
        end
        want[#want + 1] = sum + top * 1000 + x[(i ~ size // 2) + 1] * 100000
          + i // size * 10000000
      end
    end
    t.same(want, y, "tiles")
    local sizes, sums, ranks = {}, {}, {}
    for i = 0, 63 do
      sizes[i + 1], sums[i + 1], ranks[i + 1] = 0, 0, 0
      for k = i // 32 * 32, i // 32 * 32 + 31 do
        if x[k + 1] % 5 == x[i + 1] % 5 then
          sizes[i + 1], sums[i + 1] = sizes[i + 1] + 1, sums[i + 1] + x[k + 1]
        end
        if k < i and x[k + 1] % 2 == x[i + 1] % 2 then ranks[i + 1] = ranks[i + 1] + 101 end
      end
    end
    local made = t.list(3, function() return t.cuda.empty(64, "int32") end)
    kernels.labels({ grid = 1, block = 64 }, a, table.unpack(made))
    t.same(sizes, made[1], "sizes")
    t.same(sums, made[2], "sums")
    t.same(ranks, made[3], "ranks")
    x = t.integers(32, 100)
    want = {}
    local last, any
    for _, v in ipairs(x) do
      if v % 3 == 0 then last, any = v, any or v > 90 end
    end
    for i = 1, 32 do
      if x[i] % 3 == 0 then want[#want + 1] = last + (any and 1000 or 0) end
    end
    local out, count = t.cuda.zeros(32, "int32"), t.cuda.zeros(1, "int32")
    kernels.coalesced({ grid = 1, block = 32 }, t.cuda.array(x, "int32"), out, count)
    t.same({ #want }, count, "count")
    t.same(want, table.move(out:totable(), 1, #want, 1, {}), "coalesced")
  end,
}
