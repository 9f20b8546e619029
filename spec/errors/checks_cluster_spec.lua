-- Random programs of the blocks of a cluster: LUACUDA_CPU_CHECK=all reports a race if and only if
-- two blocks access the same memory between two barriers of the cluster, and one of them writes.
local helper = require "spec.helper"
local random = require("spec.support.data").random

local BLOCKS, SLOTS, STEPS, PROGRAMS = 4, 3, 12, 60

-- A program is a list of steps: what each block does in it, and whether a barrier follows.
local PROGRAM = [==[
  local cuda = require "luacuda"
  local k = cuda.kernel([[
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    struct Step { int kind, rank, slot, sync; };  // kind: 0 nothing, 1 read, 2 write, 3 add
    extern "C" __global__ void __cluster_dims__(4, 1, 1) k(const int *steps, int n, int *out) {
      __shared__ int s[3][32];
      auto cluster = cg::this_cluster();
      int i = threadIdx.x, own = cluster.block_rank(), sum = 0;
      for (int k = 0; k < 3; k++) s[k][i] = -1;
      cluster.sync();
      for (int k = 0; k < n; k++) {
        Step t = ((const Step *)steps)[4 * k + own];
        int *p = cluster.map_shared_rank(&s[t.slot][i], t.rank);
        if (t.kind == 1) sum += *p;
        if (t.kind == 2) *p = 4 * k + own;
        if (t.kind == 3) atomicAdd(p, 1);
        if (t.sync) cluster.sync();
        else __syncwarp();
      }
      out[blockIdx.x * 32 + i] = sum;
      cluster.sync();
    }]], "k")
  for line in io.lines(arg[1]) do
    local n, list = 0, {}
    for v in line:gmatch "%d+" do
      n = n + 1
      list[n] = math.tointeger(v)
    end
    local ok, e = pcall(function()
      local steps = cuda.array(list, "int32")
      k({ grid = 4, block = 32 }, steps, n // 16, cuda.zeros(128, "int32"))
      cuda.synchronize()
    end)
    print(ok and "none" or e.fault or e)
  end
]==]

local READ, ADD = 1, 3

-- Does an access at this place meet one of another block since the latest barrier? `seen` has the
-- kinds by place and block.
local function meets(seen, place, rank, kind)
  for other, kinds in pairs(seen[place] or {}) do
    for before in pairs(other ~= rank and kinds or {}) do
      local both_read = kind == READ and before == READ
      if not both_read and not (kind == ADD and before == ADD) then return true end
    end
  end
  return false
end

local function note(seen, place, rank, kind)
  seen[place] = seen[place] or {}
  seen[place][rank] = seen[place][rank] or {}
  seen[place][rank][kind] = true
end

local function make(draw)
  local numbers, races, seen = {}, false, {}
  for _ = 1, STEPS do
    local sync = draw(3) > 0 and 1 or 0
    for rank = 0, BLOCKS - 1 do
      local kind, target, slot = draw(7) - 3, draw(BLOCKS), draw(SLOTS)
      if kind < 0 then kind = 0 end
      local place = target * SLOTS + slot
      if kind ~= 0 then
        races = races or meets(seen, place, rank, kind)
        note(seen, place, rank, kind)
      end
      for _, v in ipairs { kind, target, slot, sync } do numbers[#numbers + 1] = v end
    end
    if sync == 1 then seen = {} end
  end
  return table.concat(numbers, " "), races
end

describe("all checks of the CPU device", function()
  it("find races in the shared memory of a cluster, and only these", function()
    local draw, file, wanted = random(os.time() // 86400), os.tmpname(), {}
    local out = assert(io.open(file, "w"))
    for k = 1, PROGRAMS do
      local line, races = make(draw)
      out:write(line, "\n")
      wanted[k] = races and "race" or "none"
    end
    out:close()
    local ok, text = helper.lua(PROGRAM, { args = { file }, env = { LUACUDA_DEVICE = "cpu",
      LUACUDA_CPU_ARCH = "90", LUACUDA_CPU_CHECK = "all" } })
    os.remove(file)
    assert.is_true(ok, text)
    local got = {}
    for line in text:gmatch "[^\n]+" do got[#got + 1] = line end
    assert.same(wanted, got)
  end)
end)
