-- Products of matrices that follow each other, which the CPU device carries out together: random
-- ones, whose registers overlap in any way, give what they give one at a time. And products of
-- float32, which only the CPU device has.
local helper = require "spec.helper"
local levels = require "spec.support.levels"

local RANDOM = [==[
local cuda = require "luacuda"
local random = require("spec.support.data").random(11)
local REGISTERS, PRODUCTS, ROUNDS = 24, 12, 18

-- types, and how many registers d, a, b and c have
local FORMS = { { "m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 2 },
  { "m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4 },
  { "m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 1, 4 },
  { "m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2, 4 },
  { "m16n8k16.row.col.f32.f32.f32.f32", 4, 8, 4, 4 },
  { "m16n8k16.row.row.f32.f32.f32.f32", 4, 8, 4, 4 } }

-- n registers, all different
local function some(n)
  local list, used = {}, {}
  while #list < n do
    local r = random(REGISTERS)
    if not used[r] then list[#list + 1], used[r] = "%" .. r, true end
  end
  return "{" .. table.concat(list, ", ") .. "}"
end

-- Few different matrices, so that runs share them.
local function pool_of(form)
  return { form = form, a = { some(form[3]), some(form[3]) },
    b = { some(form[4]), some(form[4]), some(form[4]) } }
end

local function product(pool)
  local form = pool.form
  local d = some(form[2])
  local c = random(2) == 0 and d or some(form[5])
  return ("mma.sync.aligned.%s %s, %s, %s, %s;"):format(form[1], d, pool.a[random(2) + 1],
    pool.b[random(3) + 1], c)
end

local function kernel(name, list)
  local names = {}
  for r = 0, REGISTERS - 1 do names[r + 1] = ('"+r"(r[%d])'):format(r) end
  return (([[
    __global__ void NAME(unsigned *s) {
      unsigned r[COUNT];
      for (int i = 0; i < COUNT; i++) r[i] = s[i * 32 + threadIdx.x];
      asm volatile("LIST" : NAMES);
      for (int i = 0; i < COUNT; i++) s[i * 32 + threadIdx.x] = r[i];
    }
  ]]):gsub("%u%u+", { NAME = name, COUNT = REGISTERS, LIST = table.concat(list, " "),
    NAMES = table.concat(names, ", ") }))
end

-- Small floats of 32 bits, or two of 16 bits.
local function state()
  local words = {}
  for i = 1, REGISTERS * 32 do
    words[i] = i // 32 % 2 == 0 and (random(2) << 31 | 125 + random(5) << 23 | random(1 << 23))
      or (random(2) << 15 | 13 + random(4) << 10 | random(1024)) * 0x10001 ~ random(1 << 9)
  end
  return cuda.array(words, "uint32")
end

for round = 1, ROUNDS do
  local pools = { pool_of(FORMS[round % #FORMS + 1]), pool_of(FORMS[random(#FORMS) + 1]) }
  local list, source = {}, {}
  for k = 1, PRODUCTS do
    list[k] = product(pools[random(8) // 7 + 1])
    source[k] = kernel("one" .. k, { list[k] })
  end
  local module = cuda.module(table.concat(source) .. kernel("all", list))
  local together = state()
  local apart = together:copy()
  local before = together:copy()
  module:kernel "all" ({ grid = 1, block = 32 }, together)
  for k = 1, PRODUCTS do module:kernel("one" .. k)({ grid = 1, block = 32 }, apart) end
  assert(not together:equals(before))
  assert(together:equals(apart), table.concat(list, "\n"))
end
print "done"
]==]

-- Fragments as those of tf32 are, and b by rows: blocks of 8 rows and 4 columns.
local FLOAT32 = [==[
local cuda = require "luacuda"
local SOURCE = [[
extern "C" __global__ void product(float *d, const float *a, const float *b, const float *c) {
  int l = threadIdx.x, g = l / 4, t = l % 4;
  float x[8], y[4], s[4];
  for (int i = 0; i < 8; i++) x[i] = a[(g + i % 2 * 8) * 16 + t + i / 2 * 4];
  for (int i = 0; i < 4; i++)
    y[i] = ROWS ? b[(g + i % 2 * 8) * 8 + t + i / 2 * 4] : b[(t + i * 4) * 8 + g];
  for (int i = 0; i < 4; i++) s[i] = c[(g + i / 2 * 8) * 8 + t * 2 + i % 2];
  asm("mma.sync.aligned.m16n8k16.row.ORDER.f32.f32.f32.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
      : "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]), "f"(x[4]), "f"(x[5]), "f"(x[6]), "f"(x[7]),
        "f"(y[0]), "f"(y[1]), "f"(y[2]), "f"(y[3]));
  for (int i = 0; i < 4; i++) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = s[i];
}
extern "C" __global__ void sums(float *d, const float *a, const float *b, const float *c) {
  int i = threadIdx.x / 8, j = threadIdx.x % 8;
  float s = c[i * 8 + j];
  for (int k = 0; k < 16; k++) s = __fmaf_rn(a[i * 16 + k], b[k * 8 + j], s);
  d[i * 8 + j] = s;
}]]
cuda.random.seed(3)
for _, order in ipairs{ "row", "col" } do
  local module = cuda.module((SOURCE:gsub("ORDER", order):gsub("ROWS", order == "row" and 1 or 0)))
  for _ = 1, 5 do
    local a, b = cuda.random.normal{ 16, 16 }, cuda.random.normal{ 16, 8 }
    local c, got, want = cuda.random.normal{ 16, 8 }, cuda.zeros{ 16, 8 }, cuda.zeros{ 16, 8 }
    module:kernel "product" ({ grid = 1, block = 32 }, got, a, b, c)
    module:kernel "sums" ({ grid = 1, block = 128 }, want, a, b, c)
    assert(got:equals(want), order)
    assert(not got:equals(c))
  end
end
print "done"
]==]

local function check(code, env)
  env.LUACUDA_DEVICE = "cpu"
  local ok, out = helper.lua(code, { env = env })
  assert.is_true(ok, out)
  assert.matches("done", out)
end

describe("products by mma on the CPU device", function()
  it("give together what each gives", function()
    for _, how in ipairs{ "off", "force" } do check(RANDOM, { LUACUDA_CPU_JIT = how }) end
    check(RANDOM, { LUACUDA_CPU_CHECK = "all" })
  end)

  for _, isa in ipairs(levels.all) do
    it("of float32 are sums by fma in the order of k: " .. isa, function()
      if not levels.has(isa) then pending "no such instruction set" end
      check(FLOAT32, { LUACUDA_CPU_ISA = isa })
      check(RANDOM, { LUACUDA_CPU_ISA = isa })
    end)
  end
end)
