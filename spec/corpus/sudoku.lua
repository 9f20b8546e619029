-- Sudokus, one per warp: candidates as masks, the cell with the fewest by shuffles, guesses on a
-- stack in shared memory.
local PUZZLES = {
  "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
  "000000907000420180000705026100904000050000040000507009920108000034059000507000000",
  "100007090030020008009600500005300900010080002600004000300000010040000007007000300",
}

return {
  source = [[
    #define FULL 0xffffffffu
    __device__ unsigned candidates(const signed char *b, int at) {
      unsigned used = 0;
      int row = at / 9, column = at % 9, box = row / 3 * 27 + column / 3 * 3;
      for (int k = 0; k < 9; k++) {
        used |= 1u << b[row * 9 + k];
        used |= 1u << b[k * 9 + column];
        used |= 1u << b[box + k / 3 * 9 + k % 3];
      }
      return ~used & 0x3fe;
    }
    __global__ void solve(const signed char *puzzles, signed char *solutions, int *guesses) {
      __shared__ signed char stack[64][81];
      __shared__ int cells[64];
      __shared__ unsigned open[64];
      int lane = threadIdx.x, top = 0, count = 0;
      for (int i = lane; i < 81; i += 32) stack[0][i] = puzzles[blockIdx.x * 81 + i];
      __syncwarp();
      while (top >= 0) {
        signed char *b = stack[top];
        // The empty cell with the fewest candidates.
        int least = 10 * 128;
        for (int i = lane; i < 81; i += 32)
          if (b[i] == 0) least = min(least, __popc(candidates(b, i)) * 128 + i);
        for (int d = 16; d > 0; d /= 2) least = min(least, __shfl_xor_sync(FULL, least, d));
        __syncwarp();
        if (least == 10 * 128) break;
        int cell = least % 128;
        unsigned mask = candidates(b, cell);
        __syncwarp();
        if (__popc(mask) == 1) {
          if (lane == 0) b[cell] = __ffs(mask) - 1;
        } else {
          if (mask == 0) { // back to the latest guess with another candidate
            do top--; while (top >= 0 && open[top] == 0);
            if (top < 0) break;
            cell = cells[top];
            mask = open[top];
            b = stack[top];
          }
          __syncwarp();
          for (int i = lane; i < 81; i += 32) stack[top + 1][i] = b[i];
          __syncwarp();
          if (lane == 0) {
            stack[top + 1][cell] = __ffs(mask) - 1;
            cells[top] = cell;
            open[top] = mask & (mask - 1);
          }
          top++;
          count++;
        }
        __syncwarp();
      }
      for (int i = lane; i < 81; i += 32)
        solutions[blockIdx.x * 81 + i] = top < 0 ? 0 : stack[top][i];
      if (lane == 0) guesses[blockIdx.x] = count;
    }]],
  run = function(kernels, t)
    local cells = {}
    for _, puzzle in ipairs(PUZZLES) do
      for digit in puzzle:gmatch "%d" do cells[#cells + 1] = tonumber(digit) end
    end
    local out, guesses = t.cuda.empty(#cells, "int8"), t.cuda.empty(#PUZZLES, "int32")
    kernels.solve({ grid = #PUZZLES, block = 32 }, t.cuda.array(cells, "int8"), out, guesses)
    local got = out:totable()
    for p = 0, #PUZZLES - 1 do
      local seen = {}
      for i = 0, 80 do
        local v, given = got[81 * p + i + 1], cells[81 * p + i + 1]
        assert(v >= 1 and v <= 9 and (given == 0 or given == v), "not a solution")
        local row, column = i // 9, i % 9
        for _, place in ipairs { "r" .. row, "c" .. column, "b" .. row // 3 .. column // 3 } do
          assert(not seen[place .. v], "a digit twice")
          seen[place .. v] = true
        end
      end
    end
  end,
}
