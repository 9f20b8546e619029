-- atom.cas and atom.exch of 128 bits: many threads change the same 16 bytes, whose halves must stay
-- together.
local cuda = require "luacuda"
local helper = require "spec.helper"

local SOURCE = [==[
  typedef unsigned long long u64;
  struct alignas(16) Pair { u64 low, high; };

  #define ATOMICS(name, space, kind, address) \
    __device__ Pair cas_##name(Pair *p, Pair old, Pair now) { \
      Pair was; \
      asm volatile("{ .reg .b128 c, s, d; mov.b128 c, {%3, %4}; mov.b128 s, {%5, %6};" \
                   " atom.relaxed.gpu" space ".cas.b128 d, [%2], c, s; mov.b128 {%0, %1}, d; }" \
                   : "=l"(was.low), "=l"(was.high) : kind(address), "l"(old.low), \
                     "l"(old.high), "l"(now.low), "l"(now.high) : "memory"); \
      return was; \
    } \
    __device__ Pair exch_##name(Pair *p, Pair now) { \
      Pair was; \
      asm volatile("{ .reg .b128 s, d; mov.b128 s, {%3, %4};" \
                   " atom" space ".exch.b128 d, [%2], s; mov.b128 {%0, %1}, d; }" \
                   : "=l"(was.low), "=l"(was.high) : kind(address), "l"(now.low), \
                     "l"(now.high) : "memory"); \
      return was; \
    } \
    /* Counts in the lower half; the upper one is three times as much. Notes what each found. */ \
    __device__ void count_##name(Pair *p, u64 *found, int rounds) { \
      for (int r = 0; r < rounds; r++) { \
        Pair seen = { 0, 0 }, was; \
        for (;;) { \
          was = cas_##name(p, seen, Pair{ seen.low + 1, seen.high + 3 }); \
          if (was.low == seen.low && was.high == seen.high) break; \
          seen = was; \
        } \
        found[r] = was.high == 3 * was.low ? was.low : ~0ull; \
      } \
    } \
    __device__ void pass_##name(Pair *p, u64 *found, u64 me, int rounds) { \
      for (int r = 0; r < rounds; r++) { \
        u64 v = me * rounds + r + 1; \
        Pair was = exch_##name(p, Pair{ v, ~v }); \
        found[r] = was.high == ~was.low ? was.low : ~0ull; \
      } \
    }
  #define GLOBAL(p) "l"((u64)(p))
  #define SHARED(p) "r"((unsigned)__cvta_generic_to_shared(p))
  ATOMICS(global, ".global", GLOBAL, p)
  ATOMICS(shared, ".shared", SHARED, p)
  ATOMICS(generic, "", GLOBAL, p)

  extern "C" __global__ void count(u64 *words, u64 *found, int rounds, int space) {
    __shared__ Pair here;
    Pair *p = (Pair *)words;
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) here = Pair{ 0, 0 };
    __syncthreads();
    if (space == 0) count_global(p, found + me * rounds, rounds);
    if (space == 1) count_generic(p, found + me * rounds, rounds);
    if (space == 2) count_shared(&here, found + me * rounds, rounds);
    if (space == 3) count_generic(&here, found + me * rounds, rounds);
    __syncthreads();
    if (space >= 2 && threadIdx.x == 0) p[blockIdx.x] = here;
  }
  extern "C" __global__ void pass(u64 *words, u64 *found, int rounds, int space) {
    __shared__ Pair here;
    Pair *p = (Pair *)words;
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) here = Pair{ 0, ~0ull };
    __syncthreads();
    if (space == 0) pass_global(p, found + me * rounds, me, rounds);
    if (space == 1) pass_generic(p, found + me * rounds, me, rounds);
    if (space == 2) pass_shared(&here, found + me * rounds, me, rounds);
    if (space == 3) pass_generic(&here, found + me * rounds, me, rounds);
    __syncthreads();
    if (space >= 2 && threadIdx.x == 0) p[blockIdx.x] = here;
  }
  extern "C" __global__ void local(u64 *out) {
    volatile Pair own[2] = { { 1, 2 }, { threadIdx.x, 5 } };
    Pair *p = (Pair *)&own[1];
    Pair a = cas_generic(p, Pair{ threadIdx.x, 6 }, Pair{ 7, 8 });
    Pair b = cas_generic(p, Pair{ threadIdx.x, 5 }, Pair{ threadIdx.x + 10, 9 });
    Pair c = exch_generic(p, Pair{ 20, 21 });
    u64 *o = out + 10 * threadIdx.x;
    o[0] = a.low, o[1] = a.high, o[2] = b.low, o[3] = b.high, o[4] = c.low, o[5] = c.high;
    o[6] = own[1].low, o[7] = own[1].high, o[8] = own[0].low, o[9] = own[0].high;
  }
  extern "C" __global__ void wrong(char *p) {
    exch_global((Pair *)p, Pair{ 1, 2 });
  }
]==]

local BLOCKS, THREADS, ROUNDS = 6, 40, 5

-- Runs code in a process in which the CPU device has these instructions. It gets `cuda` and
-- `kernels`.
local function in_process(device, code, args)
  for k, value in ipairs(args) do args[k] = tostring(value) end
  table.insert(args, 1, device.label)
  local ok, out = helper.lua(("local SOURCE = [===[%s]===]\n"):format(SOURCE) .. [[
    local cuda = require "luacuda"
    cuda.use(tonumber((...):match "%d+") or ...)
    local kernels = cuda.module(SOURCE).kernels
  ]] .. code, { env = { LUACUDA_CPU_ARCH = "90" }, args = args })
  assert.is_true(ok, out)
  return out
end

-- The lines of integers that a process writes.
local function lists(out)
  local all = {}
  for line in out:gmatch "[^\n]+" do
    local list = {}
    for n in line:gmatch "%-?%d+" do list[#list + 1] = math.tointeger(tonumber(n)) end
    all[#all + 1] = list
  end
  return all
end

local function sorted(list)
  table.sort(list)
  return list
end

helper.for_each_device(function(device)
  if device.kind ~= "cpu" and device.cc < 90 then return end

  describe("atomics of 128 bits", function()
    local function run(name, space, start)
      return table.unpack(lists(in_process(device, [[
        local _, name, space, blocks, threads, rounds = ...
        local p = cuda.array(load("return {" .. select(7, ...) .. "}")(), "uint64")
        local found = cuda.zeros(blocks * threads * rounds, "uint64")
        kernels[name]({ grid = tonumber(blocks), block = tonumber(threads) }, p, found,
          tonumber(rounds), tonumber(space))
        for _, a in ipairs { p, found } do print(table.concat(a:totable(), " ")) end
      ]], { name, space, BLOCKS, THREADS, ROUNDS, table.concat(start, ",") })))
    end

    for space, name in pairs { [0] = "global", "generic", "shared", "generic shared" } do
      local groups = space < 2 and 1 or BLOCKS
      local each = BLOCKS * THREADS * ROUNDS // groups

      it("compare and swap in " .. name .. " memory", function()
        local start = {}
        for i = 1, 2 * groups do start[i] = 0 end
        local p, found = run("count", space, start)
        for g = 0, groups - 1 do
          assert.equal(each, p[2 * g + 1])
          assert.equal(3 * each, p[2 * g + 2])
          local part = sorted(table.move(found, g * each + 1, (g + 1) * each, 1, {}))
          for i = 1, each do assert.equal(i - 1, part[i]) end
        end
      end)

      it("exchange in " .. name .. " memory", function()
        local start = {}
        for i = 1, groups do start[2 * i - 1], start[2 * i] = 0, -1 end
        local p, found = run("pass", space, start)
        for g = 0, groups - 1 do
          -- All values are found but the last one, and the first one is.
          local part = table.move(found, g * each + 1, (g + 1) * each, 1, {})
          part[#part + 1] = p[2 * g + 1]
          assert.equal(~p[2 * g + 1], p[2 * g + 2])
          sorted(part)
          assert.equal(0, part[1])
          for i = 1, each do assert.equal(g * each + i, part[i + 1]) end
        end
      end)
    end

    if device.kind ~= "cpu" then return end

    it("change local memory", function()
      local out = in_process(device, [[
        local out = cuda.zeros({ 40, 10 }, "uint64")
        kernels["local"]({ grid = 1, block = 40 }, out)
        for _, row in ipairs(out:totable()) do print(table.concat(row, " ")) end
      ]], {})
      for t, row in ipairs(lists(out)) do
        assert.same({ t - 1, 5, t - 1, 5, t + 9, 9, 20, 21, 1, 2 }, row)
      end
    end)

    it("are checked", function()
      local out = in_process(device, [[
        local function fault(p)
          print(pcall(function()
            kernels.wrong({ grid = 1, block = 1 }, p)
            cuda.synchronize()
          end))
        end
        fault(cuda.zeros(64, "int8"):slice { 9, 64 })
        fault(cuda.zeros(8, "int8"))
      ]], {})
      assert.matches("^false[^\n]* misaligned: [^\n]*\nfalse[^\n]* out of bounds: ", out)
    end)

    it("need a later device than the usual one", function()
      if device.cc >= 90 then return end
      helper.contains(helper.error_of(function()
        cuda.kernel(SOURCE, "local")({ grid = 1, block = 40 }, cuda.zeros({ 40, 10 }, "uint64"))
      end), "atomics of 128 bits need .target sm_90 or later")
    end)
  end)
end)
