-- CUB for blocks: load, radix sort, scan, reduce, discontinuity and store, sharing one memory.
local N = 128 * 4

return {
  heavy = true,
  needs = "cub/block/block_load.cuh",
  source = [[
    #include <cub/block/block_load.cuh>
    #include <cub/block/block_store.cuh>
    #include <cub/block/block_scan.cuh>
    #include <cub/block/block_reduce.cuh>
    #include <cub/block/block_radix_sort.cuh>
    #include <cub/block/block_discontinuity.cuh>
    using load_t = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using store_t = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using sort_t = cub::BlockRadixSort<int, 128, 4, int>;
    using scan_t = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
    using reduce_t = cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    using heads_t = cub::BlockDiscontinuity<int, 128>;
    __global__ void __launch_bounds__(128) all(const int *x, int *keys, int *from, int *rank,
                                               int *total) {
      __shared__ union {
        load_t::TempStorage load;
        store_t::TempStorage store;
        sort_t::TempStorage sort;
        scan_t::TempStorage scan;
        reduce_t::TempStorage reduce;
        heads_t::TempStorage heads;
      } s;
      int key[4], value[4], head[4];
      load_t(s.load).Load(x, key);
      for (int i = 0; i < 4; i++) value[i] = threadIdx.x * 4 + i;
      __syncthreads();
      sort_t(s.sort).Sort(key, value);
      __syncthreads();
      heads_t(s.heads).FlagHeads(head, key, cuda::std::not_equal_to<int>());
      __syncthreads();
      int distinct = reduce_t(s.reduce).Sum(head);
      if (threadIdx.x == 0) *total = distinct;
      __syncthreads();
      scan_t(s.scan).InclusiveSum(head, head);
      __syncthreads();
      store_t(s.store).Store(keys, key);
      __syncthreads();
      store_t(s.store).Store(from, value);
      __syncthreads();
      store_t(s.store).Store(rank, head);
    }]],
  run = function(kernels, t)
    local x = t.list(N, function() return t.random(200) - 100 end)
    local order, keys, rank, distinct = t.list(N, function(i) return i - 1 end), {}, {}, 0
    table.sort(order, function(a, b)
      if x[a + 1] ~= x[b + 1] then return x[a + 1] < x[b + 1] end
      return a < b
    end)
    for i, at in ipairs(order) do
      keys[i] = x[at + 1]
      if keys[i] ~= keys[i - 1] then distinct = distinct + 1 end
      rank[i] = distinct
    end
    local made = t.list(3, function() return t.cuda.empty(N, "int32") end)
    local total = t.cuda.empty(1, "int32")
    kernels.all({ grid = 1, block = 128 }, t.cuda.array(x, "int32"), made[1], made[2], made[3],
      total)
    t.same(keys, made[1], "keys")
    t.same(order, made[2], "values")
    t.same(rank, made[3], "ranks")
    t.same({ distinct }, total, "total")
  end,
}
