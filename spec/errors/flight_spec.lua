-- Asynchronous operations that nobody has waited for: their values in the default mode of the CPU
-- device, which are those of the latest execution that is allowed, and what LUACUDA_CPU_CHECK=all
-- reports.
local helper = require "spec.helper"

local HEAD = [==[
typedef unsigned int u32; typedef unsigned long long u64;
#define AT(p) (u32)__cvta_generic_to_shared(p)
#define start(b, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;\nfence.mbarrier_init.release" \
  ".cluster;" :: "r"(AT(b)), "r"(n) : "memory")
#define expect(b, n) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" \
  :: "r"(AT(b)), "r"(n) : "memory")
#define load(to, from, n, b) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::" \
  "complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(AT(to)), "l"(from), "r"(n), "r"(AT(b)) \
  : "memory")
#define store(to, from, n) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], " \
  "%2;" :: "l"(to), "r"(AT(from)), "r"(n) : "memory")
#define add(to, from, n) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add" \
  ".u32 [%0], [%1], %2;" :: "l"(to), "r"(AT(from)), "r"(n) : "memory")
#define commit() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define wait_group(n) asm volatile("cp.async.bulk.wait_group %0;" :: "n"(n) : "memory")
#define wait_read(n) asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(n) : "memory")
#define fence() asm volatile("fence.proxy.async;" ::: "memory")
__device__ __forceinline__ void wait(u64 *b, u32 parity) {
  asm volatile("{ .reg .pred q; L%=: mbarrier.try_wait.parity.shared.b64 q, [%0], %1;\n"
    "@!q bra L%=; }" :: "r"(AT(b)), "r"(parity) : "memory");
}
#define I threadIdx.x
#define KERNEL(name) extern "C" __global__ void name(int *in, int *out, int mode)
#define SHARED __shared__ __align__(128) int s[64]; __shared__ u64 bar;
]==]

local SOURCE = HEAD .. [==[
KERNEL(loaded) { SHARED
  if (I == 0) start(&bar, 1);
  __syncthreads();
  if (I == 0) { expect(&bar, 128); load(s, in, 128, &bar); }
  if (mode == 1) wait(&bar, 0);
  out[I] = s[I];
  wait(&bar, 0);
}
KERNEL(source_changed) { SHARED
  if (I == 0) start(&bar, 1);
  __syncthreads();
  if (I == 0) { expect(&bar, 128); load(s, in, 128, &bar); }
  if (mode == 1) wait(&bar, 0);
  in[I] = 7;
  if (mode == 0) wait(&bar, 0);
  out[I] = s[I];
}
KERNEL(stored) { SHARED
  s[I] = I + 1;
  fence();
  __syncthreads();
  if (I == 0) {
    store(out, s, 128);
    if (mode != 3) commit();
    if (mode == 1) wait_read(0); else if (mode > 1) wait_group(0);
  }
  __syncthreads();
  s[I] = 9;
  if (mode == 0 && I == 0) wait_group(0);
}
KERNEL(groups) { SHARED
  s[I] = I + 1; s[I + 32] = I + 33;
  fence();
  __syncthreads();
  if (I == 0) {
    store(out, s, 128); commit();
    store(out + 32, s + 32, 128); commit();
    if (mode == 1) wait_read(1); else wait_read(0);
  }
  __syncthreads();
  s[I] = 9; s[I + 32] = 9;
  if (I == 0) wait_group(0);
}
KERNEL(interleaved) { SHARED
  s[I] = I + 1;
  fence();
  __syncthreads();
  if (I == 0) { store(out, s, 16); commit(); }
  __syncwarp();
  if (I == 1) { store(out + 28, s + 28, 16); commit(); if (mode == 1) wait_group(0); }
  __syncwarp();
  if (I == 0) { store(out + 4, s + 4, 16); commit(); wait_group(0); }
  __syncwarp();
  s[I] = 9;
  if (I == 1) wait_group(0);
}
KERNEL(reduced) { SHARED
  s[I] = I + 1;
  fence();
  __syncthreads();
  if (I < 2) { add(out, s, 128); commit(); if (mode == 1) wait_group(0); else wait_read(0); }
  __syncthreads();
  atomicAdd(&in[I], out[I]);
  wait_group(0);
}
KERNEL(refilled) { SHARED
  if (I == 0) start(&bar, 1);
  s[I] = I + 1;
  fence();
  __syncthreads();
  if (I == 0) {
    store(out, s, 128); commit();
    if (mode == 1) wait_read(0);
    expect(&bar, 128); load(s, in, 128, &bar);
    wait(&bar, 0);
    wait_group(0);
  }
}
KERNEL(overlapping) { SHARED
  if (I == 0) start(&bar, 1);
  __syncthreads();
  if (I == 0) {
    expect(&bar, 160);
    load(s, in, 128, &bar);
    load(s + (mode == 1 ? 32 : 28), in, 32, &bar);
  }
  wait(&bar, 0);
  out[I] = s[I];
}
KERNEL(left_loads) { SHARED
  if (I == 0) { start(&bar, 1); expect(&bar, 128); load(s, in, 128, &bar); }
  __syncthreads();
  if (mode == 1) wait(&bar, 0);
}
KERNEL(left_stores) { SHARED
  s[I] = I + 1;
  fence();
  __syncthreads();
  if (I == 0) { store(out, s, 128); commit(); if (mode == 1) wait_read(0); }
}
]==]

local PROGRAM = [[
  local cuda = require "luacuda"
  local k = cuda.module(SOURCE, { arch = "sm_90a" }).kernels
  local function run(name, mode)
    local a, b = cuda.arange(1, 65, "int32"), cuda.zeros(64, "int32")
    local ok, e = pcall(function()
      k[name]({ grid = 1, block = 32 }, a, b, mode)
      return ("%d %d %d"):format(b[1], b[32], a[32])
    end)
    print(name .. mode, ok and e or tostring(e.report.fault) .. ":" .. e.message)
  end
  ]]

local function run(check, names)
  local calls = {}
  for _, n in ipairs(names) do calls[#calls + 1] = ("run(%q, %d)"):format(n[1], n[2]) end
  local ok, out = helper.lua("local SOURCE = " .. ("%q"):format(SOURCE) .. PROGRAM ..
    table.concat(calls, "\n"), { env = { LUACUDA_DEVICE = "cpu", LUACUDA_CPU_ARCH = "90",
      LUACUDA_CPU_CHECK = check } })
  assert.is_true(ok, out)
  local found = {}
  for name, text in out:gmatch "(%w[%w_]*)\t([^\n]*)" do found[name] = text end
  return found
end

-- name, mode, values of the default mode, report ("": none)
local CASES = {
  { "loaded", 0, "-1 -1 32", "race:.*read of 4 bytes at offset 0x0 of shared memory "
    .. "%(byte 0 of `s`%), without a wait %(mbarrier.try_wait%) for the bulk copy at" },
  { "loaded", 1, "1 32 32", "" },
  { "source_changed", 0, "7 7 7", "race:.*write of 4 bytes.*in global memory.*without a wait "
    .. "%(mbarrier.try_wait%) for the bulk copy at" },
  { "source_changed", 1, "1 32 7", "" },
  { "stored", 0, "9 9 32", "race:.*write of 4 bytes at offset 0x0 of shared memory.*without a wait "
    .. "%(cp.async.bulk.wait_group.read%) for the bulk copy at" },
  { "stored", 1, "1 32 32", "" },
  { "stored", 2, "1 32 32", "" },
  { "stored", 3, "9 9 32", "race:.*cp.async.bulk.wait_group.read" }, -- not committed
  { "groups", 0, "1 32 32", "" },
  { "groups", 1, "1 32 32", "race:.*write of 4 bytes at offset 0x80 of shared memory" },
  { "interleaved", 0, "1 9 32", "race:.*write of 4 bytes at offset 0x70 of shared memory" },
  { "interleaved", 1, "1 32 32", "" },
  { "reduced", 0, "2 64 32", "race:.*read of 4 bytes.*in global memory.*without a wait "
    .. "%(cp.async.bulk.wait_group%) for the bulk copy at" },
  { "reduced", 1, "2 64 96", "" },
  { "refilled", 0, "1 32 32", "race:.*write of 128 bytes at offset 0x0 of shared memory.*without a "
    .. "wait %(cp.async.bulk.wait_group.read%) for the bulk copy at" },
  { "refilled", 1, "1 32 32", "" },
  { "overlapping", 0, "1 4 32", "race:.*write of 32 bytes at offset 0x70 of shared memory.*without"
    .. " a wait %(mbarrier.try_wait%) for the bulk copy at" },
  { "overlapping", 1, "1 32 32", "" },
  { "left_loads", 0, "race: the block has ended, and 128 bytes are on their way to 0x400",
    "race:.*the block has ended, and 128 bytes are on their way to 0x400 in shared memory "
    .. "%(byte 0 of `s`%): no thread has waited" },
  { "left_loads", 1, "0 0 32", "" },
  { "left_stores", 0, "1 32 32",
    "race:.*the block has ended, and a bulk copy has still to read 128 bytes" },
  { "left_stores", 1, "1 32 32", "" },
}

describe("what is in flight", function()
  it("has not happened before a wait for it returns", function()
    local found = run("default", CASES)
    for _, case in ipairs(CASES) do
      local name = case[1] .. case[2]
      helper.contains(name .. ": " .. found[name], case[3])
    end
  end)

  it("is reported if it is touched, with all checks on", function()
    local found = run("all", CASES)
    for _, case in ipairs(CASES) do
      local name = case[1] .. case[2]
      local text = found[name] or "nothing"
      if case[4] == "" then assert.equal(case[3], text, name)
      else assert.is_truthy(text:match(case[4]), name .. ": " .. text) end
    end
  end)
end)
