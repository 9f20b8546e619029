-- kernel:profile: the counts of lines, against plain Lua models; the estimate, the text, the page.
local cuda = require "luacuda"
local helper = require "spec.helper"

local misuse, contains = helper.misuse, helper.contains

local SOURCE = [==[
struct __align__(16) Four { float x, y, z, w; };
template <typename T> __device__ void move(const T *in, const int *at, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 7 == 3 || i >= n) return;
  int k = at[i];
  T v = in[k];                                     // gather
  out[i] = v;
}
extern "C" __global__ void gather1(const char *in, const int *at, char *out, int n) {
  move(in, at, out, n);                            // gather1
}
extern "C" __global__ void gather8(const double *in, const int *at, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 7 == 3) return;
  int k = at[i];
  double v = in[k];                                // gather8
  out[i] = v;
}
extern "C" __global__ void gather16(const Four *in, const int *at, Four *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 7 == 3) return;
  int k = at[i];
  Four v = in[k];                                  // gather16
  out[i] = v;
}
#define SHARED(name, T) \
  extern "C" __global__ void name(const int *at, T *out, T v) { \
    __shared__ T s[512]; \
    if (threadIdx.x % 5 != 1) s[at[threadIdx.x]] = v; \
    __syncthreads(); \
    if (threadIdx.x == 0) out[0] = s[at[0]]; \
  }
SHARED(shared4, float)
SHARED(shared8, double)
SHARED(shared16, Four)
extern "C" __global__ void count(const int *at, int *out) {
  __shared__ int s[512];
  s[threadIdx.x] = 0;
  int k = at[threadIdx.x];
  __syncthreads();
  atomicAdd(&s[k], 1);                             // atomic
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void straight(const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  float y = x * 3.0f + 1.0f;                       // one fused multiply-add
  b[i] = y / (x * x + 2.0f);
}
extern "C" __global__ void parts(int *out, const int *mod) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mod[i] != 0) out[i] = i;                     // parts here
  else atomicAdd(out, 1);
}
extern "C" __global__ void bad(int *out) { out[1LL << 40] = 1; }
]==]

-- Models ------------------------------------------------------------------------------------------

-- Sectors of one access: indices of the lanes that are on, elements of `size` bytes.
local function sectors(indices, size)
  local seen, sector, least, num = {}, {}, 0, 0
  for _, k in ipairs(indices) do
    if not seen[k] then least = least + size end
    seen[k] = true
    local s = k * size // 32
    if not sector[s] then num = num + 1 end
    sector[s] = true
  end
  return num, (least + 31) // 32
end

-- Adds the sectors of one access to those that the launch touched in one array.
local function touch(touched, indices, size)
  for _, k in ipairs(indices) do
    for s = k * size // 32, (k * size + size - 1) // 32 do
      if not touched[s] then touched.num = touched.num + 1 end
      touched[s] = true
    end
  end
end

-- Passes and conflicts of one access: lanes = list of { lane, index }.
local function passes(lanes, size, atomic)
  local groups, per = {}, 128 // math.max(size, 4)
  for _, l in ipairs(lanes) do
    local g = l[1] // per
    groups[g] = groups[g] or {}
    local banks = groups[g]
    for word = l[2] * size // 4, (l[2] * size + size - 1) // 4 do
      local bank = word % 32
      banks[bank] = banks[bank] or { n = 0 }
      if atomic or not banks[bank][word] then banks[bank].n = banks[bank].n + 1 end
      banks[bank][word] = true
    end
  end
  local all, num = 0, 0
  for _, banks in pairs(groups) do
    local most = 0
    for _, b in pairs(banks) do most = math.max(most, b.n) end
    all, num = all + most, num + 1
  end
  return all, all - num
end

-- The instructions of an entry in PTX by .loc line.
local function instructions_of(ptx, name)
  local body = ptx:match(name .. "%b()%s*(%b{})")
  local counts, line = {}, nil
  for text in body:gmatch "[^\n]+" do
    local at = math.tointeger(tonumber(text:match "^%s*%.loc%s+%d+%s+(%d+)"))
    if at and at ~= 0 then line = at end
    if text:find "^%s*[%a@]" and text:find ";" then counts[line] = (counts[line] or 0) + 1 end
  end
  return counts
end

local function line_with(profile, text)
  for _, line in ipairs(profile.lines) do
    if line.text and line.text:find(text, 1, true) then return line end
  end
  error("no line with " .. text)
end

local function indices(random, n, most)
  local list = {}
  for i = 1, n do list[i] = random(most) end
  return list
end

describe("kernel:profile", function()
  local m, kernels, before
  setup(function()
    before = cuda.use "cpu"
    m = cuda.module(SOURCE)
    kernels = m.kernels
  end)
  teardown(function()
    m, kernels = m:close(), nil
    cuda.use(before)
  end)

  it("counts the instructions of each line as they stand in the PTX", function()
    local a, b = cuda.ones(128), cuda.zeros(128)
    local p = kernels.straight:profile({ grid = 2, block = 64 }, a, b)
    local first = line_with(p, "void straight").line
    local wanted = instructions_of(kernels.straight:ptx(), "straight")
    local source_first
    for line in pairs(wanted) do source_first = math.min(source_first or line, line) end
    local total = 0
    for line, n in pairs(wanted) do
      for _, have in ipairs(p.lines) do
        if have.line == line - source_first + first then
          assert.equals(4 * n, have.instructions)
          total = total + have.instructions
        end
      end
    end
    assert.equals(p.totals.instructions, total)
    assert.equals(1.0, p.totals.lane_use)
    assert.equals(helper.this_file(), p.lines[1].file)
    assert.equals(128 * 2, line_with(p, "fused").f32_operations)
  end)

  it("counts sectors of random addresses as the model does", function()
    local random = helper.random(11)
    for size, name in pairs{ [8] = "gather8", [16] = "gather16", [1] = "gather1" } do
      local n, most = 128, random(2) == 0 and 40 or 3000
      local at = indices(random, n, most)
      local input, out = cuda.zeros(3000 * size, "uint8"), cuda.zeros(n * size, "uint8")
      local list = cuda.array(at, "int32")
      local p = kernels[name]:profile({ grid = 2, block = 64 }, cuda.ptr(input.pointer), list,
        cuda.ptr(out.pointer), n)
      local num, least = 0, 0
      local touched = { { num = 0 }, { num = 0 }, { num = 0 } } -- of list, input, out
      for warp = 0, 3 do
        local on, own = {}, {}
        for i = warp * 32, warp * 32 + 31 do
          if i % 7 ~= 3 then
            on[#on + 1] = at[i + 1]
            own[#own + 1] = i
          end
        end
        for i, access in ipairs{ { own, 4 }, { on, size }, { own, size } } do
          local s, l = sectors(table.unpack(access))
          num, least = num + s, least + l
          touch(touched[i], table.unpack(access))
        end
      end
      assert.same({ 12, num, least, num / 12 }, { p.totals.global_accesses,
        p.totals.global_sectors, p.totals.global_sectors_least, p.totals.sectors_per_access })
      assert.equals(32 * (touched[1].num + touched[2].num + touched[3].num),
        p.kernels[1].global_bytes)
      if size == 8 then assert.equals(4, line_with(p, "// gather8").global_accesses) end
      input:free()
      out:free()
      list:free()
    end
  end)

  it("counts bank conflicts of random addresses as the model does", function()
    local random = helper.random(5)
    for size, name in pairs{ [4] = "shared4", [8] = "shared8", [16] = "shared16" } do
      local at = indices(random, 64, random(2) == 0 and 30 or 512)
      local list, out = cuda.array(at, "int32"), cuda.zeros(16, "uint8")
      local v = size == 16 and { x = 1, y = 2, z = 3, w = 4 } or 1
      local p = kernels[name]:profile({ grid = 1, block = 64 }, list, cuda.ptr(out.pointer), v)
      local all, conflicts = 0, 0
      for warp = 0, 1 do
        local lanes = {}
        for l = 0, 31 do
          local i = warp * 32 + l
          if i % 5 ~= 1 then lanes[#lanes + 1] = { l, at[i + 1] } end
        end
        local n, c = passes(lanes, size)
        all, conflicts = all + n, conflicts + c
      end
      assert.same({ 3, all + 1, conflicts }, { p.totals.shared_accesses,
        p.totals.shared_wavefronts, p.totals.bank_conflicts })
      assert.equals(2, p.totals.barriers)
      list:free()
      out:free()
    end
  end)

  it("lets lanes of an atomic that change one word take turns", function()
    local at = indices(helper.random(3), 64, 20)
    local p = kernels.count:profile({ grid = 1, block = 64 }, cuda.array(at, "int32"),
      cuda.zeros(64, "int32"))
    local all, conflicts = 0, 0
    for warp = 0, 1 do
      local lanes = {}
      for l = 0, 31 do lanes[#lanes + 1] = { l, at[warp * 32 + l + 1] } end
      local n, c = passes(lanes, 4, true)
      all, conflicts = all + n, conflicts + c
    end
    local line = line_with(p, "// atomic")
    assert.same({ 2, all, conflicts },
      { line.shared_accesses, line.shared_wavefronts, line.bank_conflicts })
  end)

  it("counts branches at which lanes part", function()
    local list, parted = {}, 0
    local random = helper.random(9)
    for warp = 0, 7 do
      local kind, some, none = random(3), false, false
      for l = 1, 32 do
        local v = kind == 2 and random(2) or kind
        list[warp * 32 + l] = v
        some, none = some or v ~= 0, none or v == 0
      end
      if some and none then parted = parted + 1 end
    end
    local p = kernels.parts:profile({ grid = 2, block = 128 }, cuda.zeros(256, "int32"),
      cuda.array(list, "int32"))
    assert.same({ 8, parted }, { p.totals.branches, p.totals.divergent_branches })
    assert.equals(parted, line_with(p, "// parts here").divergent_branches)
    assert.is_true(p.totals.lane_use < 1)
  end)

  it("shows lines of kernels in Lua, and of a builder's expression", function()
    local k = cuda.jit(function(out, x)
      for i in grid(#out) do -- luacheck: ignore
        out[i] = x[#out - i + 1] * 2                                 -- the line in Lua
      end
    end)
    local x, out = cuda.ones(640), cuda.zeros(640)
    local p = k:profile({ grid = 5, block = 128 }, out, x)
    local line = line_with(p, "-- the line in Lua")
    assert.same({ helper.this_file(), helper.line_of "-- the line in Lua", 40, 160 },
      { line.file, line.line, line.global_accesses, line.global_sectors })
    assert.equals(2, out[1])
    local double = cuda.elementwise("T x", "T y", "y = x * 2", "twice")
    p = double:profile(x)
    assert.equals(640, line_with(p, "y = x * 2").f32_operations)
    assert.equals("twice", p.kernels[1].name)
    assert.is_nil(p.lines[#p.lines].file)
    local total = cuda.reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    assert.is_true(line_with(total:profile(x), "a + b").instructions > 0)
    local squares = cuda.vectorize(function(a) return a * a end)
    assert.equals(640, squares:profile(x).totals.f32_operations)
    local sums = cuda.scan("T x", "T y", "x", "a + b", "0", "sums")
    assert.is_true(line_with(sums:profile(x), "a + b").instructions > 0)
  end)

  it("counts a sector once in each launch that touches it", function()
    local norm = cuda.reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    local first, second = table.unpack(norm:profile(cuda.ones(100000)).kernels)
    local between = first.global_bytes - 4 * 100000 -- what the second launch reads
    assert.is_true(between > 0)
    assert.equals(between + 32, second.global_bytes)
  end)

  it("adds launches of one shape, and lists kernels apart", function()
    local a, b = cuda.ones(128), cuda.zeros(128)
    local p = kernels.straight:profile({ grid = 2, block = 64 }, a, b)
    local k = p.kernels[1]
    assert.same({ "straight", 1, { 2, 1, 1 }, { 64, 1, 1 }, 1024 },
      { k.name, k.launches, k.grid, k.block, k.global_bytes })
    assert.equals(p.totals.instructions, k.instructions)
    assert.equals(1, #p.kernels)
  end)

  it("counts floating-point operations, two for a fused product and sum", function()
    local ops = { "add.f32", "sub.f32", "mul.f32", "div.approx.f32", "add.rm.f32", "sub.rp.f32" }
    local functions = { "rcp", "sqrt", "ex2", "lg2", "sin", "cos", "rsqrt", "tanh" }
    local body = { 'asm volatile("fma.rn.f32 %0, %0, %0, %0; fma.rm.f32 %0, %0, %0, %0;"'
      .. ' : "+f"(v));' }
    for _, op in ipairs(ops) do
      body[#body + 1] = ('asm volatile("%s %%0, %%0, %%0;" : "+f"(v));'):format(op)
    end
    for _, name in ipairs(functions) do
      body[#body + 1] = ('asm volatile("%s.approx.f32 %%0, %%0;" : "+f"(v));'):format(name)
    end
    local k <close> = cuda.kernel(([[__global__ void all_of_them(float *x) {
      __shared__ float s[32];
      float v = x[threadIdx.x];
      s[threadIdx.x] = v;
      %s
      x[threadIdx.x] = v + s[threadIdx.x];
    }]]):format(table.concat(body, "\n")))
    local p = k:profile({ grid = 1, block = 32, shared = 48 }, cuda.ones(32))
    assert.same({ 32 * (4 + #ops + #functions + 1), 128 + 48 },
      { p.totals.f32_operations, p.kernels[1].shared_bytes })
  end)

  it("counts kernels that are compiled otherwise", function()
    local counts = {}
    for _, how in ipairs { "off", "force" } do
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        local k = cuda.kernel "__global__ void get(float *y, float *x) { y[threadIdx.x] = *x; }"
        local x, y = cuda.ones(1), cuda.zeros(64)
        k({ threads = 64 }, y, x)
        io.write(k:profile({ threads = 64 }, y, x).kernels[1].global_bytes)
      ]], { env = { LUACUDA_CPU_JIT = how, LUACUDA_DEVICE = "cpu" } })
      assert.is_true(ok, out)
      counts[how] = tonumber(out)
    end
    assert.is_true(counts.off >= 256)
    assert.equals(counts.off, counts.force)
  end)

  it("raises the kernel's fault, and goes on after it", function()
    local out = cuda.zeros(4, "int32")
    local ok, e = pcall(kernels.bad.profile, kernels.bad, { grid = 1, block = 1 }, out)
    assert.is_false(ok)
    contains(e, "out of bounds")
    assert.equals(0, pcall(kernels.straight.profile, kernels.straight, {}) and 1 or 0)
    local p = kernels.straight:profile({ grid = 1, block = 32 }, cuda.ones(32), cuda.zeros(32))
    assert.is_true(p.totals.instructions > 0)
  end)

  it("estimates occupancy as CUDA's tables say, and the bound", function()
    local n = 1 << 20
    local a, b = cuda.ones(n), cuda.zeros(n)
    local p = kernels.straight:profile({ grid = n // 256, block = 256 }, a, b)
    local function occupancy(arch, registers)
      local e = p:estimate(arch, { registers = registers })
      return { e.blocks_per_multiprocessor, e.occupancy, e.occupancy_limit, e.registers_from }
    end
    assert.same({ 8, 1.0, "warps", "given" }, occupancy("sm_80", 32))
    assert.same({ 6, 0.75, "registers", "given" }, occupancy("sm_80", 33))
    assert.same({ 4, 1.0, "warps", "given" }, occupancy("sm_75", 64))
    assert.same({ 1, 1 / 6, "registers", "given" }, occupancy("sm_86", 255))
    local e = p:estimate "sm_90"
    assert.same({ "memory", "device memory", "cubin" },
      { e.bound, e.limits[1].name, e.registers_from })
    assert.equals(2 * 4 * n / 3350e6, e.milliseconds)
    contains(tostring(e), "bound by memory")
    p = kernels.straight:profile({ grid = 1, block = 32 }, a, b)
    assert.equals("latency", p:estimate("sm_80", { registers = 32 }).bound)
  end)

  it("takes the registers that the assembler reports", function()
    local source = "__global__ void f(double *x) { x[0] = sin(x[1]) / x[2]; }"
    local _, log = cuda.compile(source, { arch = "sm_80", target = "cubin",
      flags = { "--ptxas-options=-v" } })
    local k, x = cuda.kernel(source), cuda.ones(3, "float64")
    local p = k:profile({ grid = 1, block = 1 }, x)
    assert.equals(tonumber(log:match "Used (%d+) registers"), p:estimate("sm_80").registers)
    k:close()
  end)

  it("is a listing, and a page", function()
    local p = kernels.count:profile({ grid = 1, block = 64 }, cuda.zeros(64, "int32"),
      cuda.zeros(64, "int32"))
    local text, path = tostring(p), helper.tmpdir() .. "/p.html"
    contains(text, "count: 1 launch, grid 1, block 64, 2048 bytes of shared memory")
    assert.matches("62 +%d+ +atomicAdd%(&s%[k%], 1%);", text)
    assert.equals(p, p:html(path, { arch = "sm_80" }))
    local file <close> = assert(io.open(path))
    local page = file:read "a"
    contains(page, "atomicAdd(&amp;s[k], 1);")
    contains(page, "Estimate for A100")
    assert.is_nil(page:find "src=" or page:find "href=")
  end)

  it("counts one thing in the singular", function()
    local k = cuda.kernel [[__global__ void one(int *out) {
      volatile __shared__ int s;
      s = 1;
      *out = 1;
    }]]
    local text = tostring(k:profile({ grid = 1, block = 1 }, cuda.zeros(1, "int32")))
    contains(text, "global memory: 1 access, 1 sector, at least 1 needed\n")
    contains(text, "shared memory: 1 access, 0 bank conflicts\n")
  end)

  it("refuses what it cannot do", function()
    local p = kernels.straight:profile({ grid = 1, block = 32 }, cuda.ones(32), cuda.zeros(32))
    assert.matches("^estimate: expected one of sm_75, .*, got 'sm_1'$",
      misuse(p.estimate, p, "sm_1"))
    assert.equals("estimate: option 'registers': 0 is outside 1 to 255",
      misuse(p.estimate, p, "sm_80", { registers = 0 }))
    assert.equals("html: option 'arches' is unknown",
      (misuse(p.html, p, "x", { arches = 1 }):gsub("unknown option 'arches'.*",
        "option 'arches' is unknown")))
    assert.matches("^LineProfile has no field", misuse(function() return p.line end))
  end)
end)

helper.for_each_device(function(device)
  if device.kind == "cpu" then return end
  describe("kernel:profile on a GPU", function()
    it("says where it works", function()
      local k = cuda.kernel "__global__ void f(int *x) { *x = 1; }"
      assert.matches("^profile: gpu0 does not count; the CPU device does: cuda.use 'cpu'",
        misuse(k.profile, k, { grid = 1, block = 1 }, cuda.zeros(1, "int32")))
    end)
  end)
end)
