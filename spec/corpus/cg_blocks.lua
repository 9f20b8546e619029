-- More of cooperative groups: tiles of several warps, asynchronous copies by a block and by tiles,
-- one thread of a group, broadcasts, reductions into memory.
local N = 256

return {
  arch = 80,
  heavy = true,
  source = [[
    #include <cuda/barrier>
    #include <cooperative_groups.h>
    #include <cooperative_groups/memcpy_async.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    namespace cg = cooperative_groups;
    __global__ void large_tiles(const int *x, int *sums, int *prefix) {
      __shared__ cg::block_tile_memory<256> memory;
      auto block = cg::this_thread_block(memory);
      auto tile = cg::tiled_partition<64>(block);
      int v = x[block.thread_rank()];
      int sum = cg::reduce(tile, v, cg::plus<int>());
      int first = tile.shfl(v, 0);
      sums[block.thread_rank()] = sum * 2 + (first > 50) + (tile.any(v == 99) ? 100000 : 0);
      prefix[block.thread_rank()] = cg::inclusive_scan(tile, v);
      tile.sync();
    }
    __global__ void copies(const int *x, int *y, int *most) {
      __shared__ alignas(16) int s[256];
      auto block = cg::this_thread_block();
      auto tile = cg::tiled_partition<32>(block);
      cg::memcpy_async(block, s, x, sizeof(int) * 128);
      cg::memcpy_async(block, s + 128, x + 128, cuda::aligned_size_t<16>(512));
      cg::wait(block);
      int i = block.thread_rank();
      y[i] = s[255 - i];
      int best = cg::reduce(tile, s[i], cg::greater<int>());
      cg::invoke_one(tile, [&] { atomicMax(most, best); });
      int everywhere = cg::invoke_one_broadcast(tile, [&] { return s[tile.meta_group_rank()]; });
      y[i] += everywhere * 1000;
    }]],
  run = function(kernels, t)
    local x = t.integers(N, 100)
    local a, sums, prefix = t.cuda.array(x, "int32"), t.cuda.empty(N, "int32"),
      t.cuda.empty(N, "int32")
    kernels.large_tiles({ grid = 1, block = N }, a, sums, prefix)
    local want, running = {}, {}
    for i = 0, N - 1 do
      local first, sum, any = i // 64 * 64, 0, false
      for k = first, first + 63 do
        sum, any = sum + x[k + 1], any or x[k + 1] == 99
        if k == i then running[i + 1] = sum end
      end
      want[i + 1] = sum * 2 + (x[first + 1] > 50 and 1 or 0) + (any and 100000 or 0)
    end
    t.same(want, sums, "sums")
    t.same(running, prefix, "scan")
    local y, most = t.cuda.empty(N, "int32"), t.cuda.zeros(1, "int32")
    kernels.copies({ grid = 1, block = N }, a, y, most)
    t.same(t.list(N, function(i) return x[257 - i] + x[(i - 1) // 32 + 1] * 1000 end), y, "copies")
    t.same({ math.max(table.unpack(x)) }, most, "most")
  end,
}
