-- alloca, stacksave and stackrestore: memory of a size that only the thread knows, against Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

local THREADS = 64

-- fill: takes n words, writes seed, seed + 1 ..., and gives their sum. nest: the same at each level
-- of a recursion, so what a level wrote must survive the calls of the next one. The kernels take
-- memory and give it back more often than the stack has room: this one by calls, the next one by
-- stackrestore. ptxas of CUDA 13.0 crashes if it finds all of them in one module.
local CALLS = [[
.version 7.8
.target sm_75
.address_size 64
.func (.reg .b32 r) fill (.reg .b32 n, .reg .b32 seed) {
  .reg .b32 at, bytes, k, v, end;
  .reg .pred p;
  shl.b32 bytes, n, 2;
  alloca.u32 at, bytes;
  add.u32 end, at, bytes;
  mov.b32 k, at;
  mov.b32 v, seed;
WRITE:
  setp.ge.u32 p, k, end;
  @p bra WRITTEN;
  st.local.u32 [k], v;
  add.u32 v, v, 1;
  add.u32 k, k, 4;
  bra WRITE;
WRITTEN:
  mov.b32 r, 0;
  mov.b32 k, at;
READ:
  setp.ge.u32 p, k, end;
  @p ret;
  ld.local.u32 v, [k];
  add.u32 r, r, v;
  add.u32 k, k, 4;
  bra READ;
}
.func (.reg .b32 r) nest (.reg .b32 depth, .reg .b32 seed) {
  .reg .b32 bytes, at, v, inner, less, other;
  .reg .b64 g, a;
  .reg .pred p;
  mov.b32 r, 0;
  setp.eq.u32 p, depth, 0;
  @p ret;
  mul.lo.u32 bytes, depth, 4;
  alloca.u32 at, bytes, 16;
  st.local.u32 [at], seed;
  sub.u32 less, depth, 1;
  add.u32 other, seed, 17;
  call (inner), nest, (less, other);
  cvt.u64.u32 a, at;
  cvta.local.u64 g, a;
  ld.u32 v, [g];
  mad.lo.u32 r, inner, 3, v;
  ret;
}
.visible .entry calls (.param .u64 out, .param .u64 in) {
  .reg .b64 o, i;
  .reg .b32 t, v, n, r, sum;
  .reg .pred p;
  ld.param.u64 o, [out];
  ld.param.u64 i, [in];
  mov.u32 t, %tid.x;
  mad.wide.u32 i, t, 4, i;
  mad.wide.u32 o, t, 16, o;
  ld.global.u32 v, [i];
  mov.b32 sum, 3000;
CALLS:
  and.b32 n, v, 31;
  call (r), fill, (n, v);
  sub.u32 sum, sum, 1;
  setp.ne.u32 p, sum, 0;
  @p bra CALLS;
  st.global.u32 [o], r;
  and.b32 n, v, 3;
  call (r), nest, (n, v);
  st.global.u32 [o+4], r;
  ret;
}
]]

local TAKES = [[
.version 7.8
.target sm_75
.address_size 64
.visible .entry takes (.param .u64 out, .param .u64 in) {
  .reg .b64 o, i, ptr, saved, two;
  .reg .b32 t, v, n, r, sum, bytes;
  .reg .pred p;
  ld.param.u64 o, [out];
  ld.param.u64 i, [in];
  mov.u32 t, %tid.x;
  mad.wide.u32 i, t, 4, i;
  mad.wide.u32 o, t, 16, o;
  ld.global.u32 v, [i];
  mov.b32 sum, 0;
  mov.b32 n, 4000;
LOOP:
  stacksave.u64 saved;
  and.b32 bytes, v, 15;
  add.u32 bytes, bytes, 4;
  cvt.u64.u32 two, bytes;
  alloca.u64 ptr, two, 32;
  st.local.u32 [ptr], n;
  and.b64 two, ptr, 31;
  ld.local.u32 r, [ptr];
  add.u32 sum, sum, r;
  cvt.u32.u64 r, two;
  add.u32 sum, sum, r;
  stackrestore.u64 saved;
  sub.u32 n, n, 1;
  setp.ne.u32 p, n, 0;
  @p bra LOOP;
  st.global.u32 [o+8], sum;
  alloca.u64 ptr, 12;
  alloca.u64 two, 1;
  st.local.u32 [ptr], 1;
  st.local.u32 [ptr+8], 2;
  st.local.u8 [two], 255;
  ld.local.u32 r, [ptr];
  ld.local.u32 n, [ptr+8];
  add.u32 r, r, n;
  sub.u64 two, ptr, two;
  cvt.u32.u64 n, two;
  mad.lo.u32 r, n, 1000, r;
  st.global.u32 [o+12], r;
  ret;
}
.visible .entry again (.param .u64 out) {
  .reg .b64 o, ptr;
  .reg .b32 b;
  ld.param.u64 o, [out];
  mov.u32 b, %ctaid.x;
  mad.wide.u32 o, b, 4, o;
  alloca.u64 ptr, 700;
  st.local.u32 [ptr+696], b;
  ld.local.u32 b, [ptr+696];
  st.global.u32 [o], b;
  ret;
}
]]

local function sum_of(v)
  local n, s = v & 31, 0
  for k = 0, n - 1 do s = s + v + k end
  return s & 0xffffffff
end

local function nested(depth, seed)
  if depth == 0 then return 0 end
  return (nested(depth - 1, seed + 17) * 3 + seed) & 0xffffffff
end

helper.for_each_device(function(device)
  describe("the stack", function()
    it("gives memory of any size, until the function returns or gives it back", function()
      math.randomseed(2)
      local values, want = {}, {}
      for t = 1, THREADS do
        local v = math.random(0, 0xffffffff)
        values[t] = v
        want[t] = { sum_of(v), nested(v & 3, v), 4000 * 4001 // 2, 8003 }
      end
      local out = cuda.zeros({ THREADS, 4 }, "uint32")
      local launch, seeds = { grid = 1, block = THREADS }, cuda.array(values, "uint32")
      cuda.module(CALLS):kernel("calls")(launch, out, seeds)
      cuda.module(TAKES):kernel("takes")(launch, out, seeds)
      assert.same(want, out:totable())
    end)

    it("is whole again in every block", function()
      local out = cuda.full(400, 77, "uint32")
      cuda.module(TAKES):kernel("again")({ grid = 400, block = 1 }, out)
      assert.is_true(out:equals(cuda.arange(0, 400):astype "uint32"))
    end)

    if device.kind ~= "cpu" then return end

    local WRONG = [[
.version 7.8
.target sm_75
.address_size 64
.func large () {
  .local .b8 a[4096];
  .reg .b32 x;
  mov.b32 x, a;
  st.local.u32 [x+4092], 1;
  ret;
}
.visible .entry k (.param .u64 restores, .param .u64 bytes) {
  .reg .b64 to, n, ptr, left;
  .reg .pred p;
  ld.param.u64 n, [bytes];
  alloca.u64 ptr, n;
  ld.param.u64 to, [restores];
  setp.ne.u64 p, to, 0;
  @p stackrestore.u64 to;
  stacksave.u64 ptr;
  sub.u64 n, ptr, 2048;
  alloca.u64 ptr, n;
  call large;
  ret;
}
]]
    local function fault(restores, bytes)
      local ok, e = pcall(function()
        cuda.module(WRONG):kernel("k")({ grid = 1, block = 32 }, restores, bytes)
        cuda.synchronize()
      end)
      return not ok and tostring(e)
    end

    it("ends", function()
      assert.matches("stack overflow.*alloca of 10000000 bytes: the stack of %d+ bytes",
        fault(0, 10000000))
      assert.matches("stackrestore of 0x1, which stacksave cannot have given", fault(1, 64))
      assert.matches("the stack of %d+ bytes per thread is full after 0 nested calls",
        fault(0, 64))
    end)
  end)
end)
