-- What kernels for sm_90a share: the header "hopper.h", which kernels include, and how the products
-- of matrices of spec/corpus/wgmma_*.lua are compiled, run, checked and measured.
local M = {}

-- ---- the header

local HEAD = [==[
typedef unsigned long long u64;
typedef unsigned u32;
typedef unsigned char byte;
struct alignas(128) Map { char bytes[128]; };  // a CUtensorMap
#define INLINE __device__ __forceinline__
#define ASM(...) asm volatile(__VA_ARGS__ : "memory")
#define PLAIN(text) asm volatile(text ::: "memory")

INLINE u32 at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
INLINE bool elect() {
  u32 yes;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}"
               : "=r"(yes) :: "memory");
  return yes;
}

// ---- barrier objects
INLINE void init(u64 *bar, u32 count) {
  ASM("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(bar)), "r"(count));
}
INLINE void inval(u64 *bar) { ASM("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(at(bar))); }
// After the inits: other blocks of the cluster and the async proxy see them.
INLINE void init_fence() {
  PLAIN("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;");
}
INLINE void arrive(u64 *bar) {
  ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at(bar)));
}
INLINE void expect(u64 *bar, u32 bytes) {
  ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at(bar)), "r"(bytes));
}
INLINE void expect_only(u64 *bar, u32 bytes) {
  ASM("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(at(bar)), "r"(bytes));
}
INLINE void wait(u64 *bar, u32 parity) {
  ASM("{\n\t.reg .pred done;\nagain:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t@!done bra again;\n\t}"
      :: "r"(at(bar)), "r"(parity));
}
INLINE void wait_cluster(u64 *bar, u32 parity) {
  ASM("{\n\t.reg .pred done;\nagain:\n\t"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra again;\n\t}" :: "r"(at(bar)), "r"(parity));
}

// ---- named barriers
INLINE void sync(int id, int threads) { ASM("bar.sync %0, %1;" :: "r"(id), "r"(threads)); }
INLINE void pass(int id, int threads) { ASM("bar.arrive %0, %1;" :: "r"(id), "r"(threads)); }

// ---- clusters
INLINE u32 rank() {
  u32 r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
INLINE u32 peer(const void *p, u32 rank) {
  u32 r;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at(p)), "r"(rank));
  return r;
}
INLINE void cluster_sync() {
  PLAIN("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;");
}
INLINE void arrive_at(u64 *bar, u32 rank) {
  ASM("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(peer(bar, rank)));
}
// To the shared memory of another block, and its barrier object.
INLINE void send(u32 to, int value, u32 bar) {
  ASM("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
      :: "r"(to), "r"(value), "r"(bar));
}
INLINE void send_sum(u32 to, int value, u32 bar) {
  ASM("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"
      " [%0], %1, [%2];" :: "r"(to), "r"(value), "r"(bar));
}
INLINE void put_at(u32 to, int value) {
  ASM("st.shared::cluster.b32 [%0], %1;" :: "r"(to), "r"(value));
}
INLINE int get_at(u32 from) {
  int value;
  ASM("ld.shared::cluster.b32 %0, [%1];" : "=r"(value) : "r"(from));
  return value;
}

// ---- copies
INLINE void proxy_fence() { PLAIN("fence.proxy.async;"); }
INLINE void copy_async(void *to, const void *from) {
  ASM("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(to)), "l"(from));
}
INLINE void copy_arrive(u64 *bar) {
  ASM("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" :: "r"(at(bar)));
}
INLINE void copy_commit() { PLAIN("cp.async.commit_group;"); }
template <int N> INLINE void copy_wait() { ASM("cp.async.wait_group %0;" :: "n"(N)); }
INLINE void bulk_load(void *to, const void *from, u32 bytes, u64 *bar) {
  ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :: "r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar)));
}
INLINE void bulk_store(void *to, const void *from, u32 bytes) {
  ASM("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
      :: "l"(to), "r"(at(from)), "r"(bytes));
}
INLINE void bulk_add(float *to, const void *from, u32 bytes) {
  ASM("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;"
      :: "l"(to), "r"(at(from)), "r"(bytes));
}
INLINE void bulk_send(u32 to, const void *from, u32 bytes, u32 bar) {
  ASM("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
      " [%0], [%1], %2, [%3];" :: "r"(to), "r"(at(from)), "r"(bytes), "r"(bar));
}
INLINE void load(void *to, const Map *map, int x, int y, u64 *bar) {
  ASM("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];"
      :: "r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(bar)));
}
INLINE void load_to(void *to, const Map *map, int x, int y, u64 *bar, int blocks) {
  ASM("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
      :: "r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(bar)), "h"((short)blocks));
}
INLINE void store(const Map *map, int x, int y, const void *from) {
  ASM("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
      :: "l"(map), "r"(x), "r"(y), "r"(at(from)));
}
INLINE void commit() { PLAIN("cp.async.bulk.commit_group;"); }
template <int N> INLINE void stored() { ASM("cp.async.bulk.wait_group %0;" :: "n"(N)); }
template <int N> INLINE void sources_read() {
  ASM("cp.async.bulk.wait_group.read %0;" :: "n"(N));
}

// ---- products by warp groups
INLINE void mma_fence() { PLAIN("wgmma.fence.sync.aligned;"); }
INLINE void mma_commit() { PLAIN("wgmma.commit_group.sync.aligned;"); }
template <int N> INLINE void mma_wait() { ASM("wgmma.wait_group.sync.aligned %0;" :: "n"(N)); }
// Keeps the compiler from moving what sets or uses registers of a product past a fence or a wait.
template <int N> INLINE void pin(float (&d)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) ASM("" : "+f"(d[i]) :);
}
template <int N> INLINE void pin(u32 (&a)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) ASM("" : "+r"(a[i]) :);
}
// A matrix in shared memory. swizzle: 0, 32, 64 or 128 bytes; stride, leading: bytes.
INLINE u64 matrix(u32 address, int swizzle, u32 stride, u32 leading) {
  u64 mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  return (u64)((address & 0x3ffff) >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 |
         mode << 62;
}
// Rows of 128 bytes along k, as copies with a swizzle of 128 bytes write them.
INLINE u64 rows(const void *p) { return matrix(at(p), 128, 1024, 16); }
INLINE void few_registers() { PLAIN("setmaxnreg.dec.sync.aligned.u32 40;"); }
INLINE void many_registers() { PLAIN("setmaxnreg.inc.sync.aligned.u32 232;"); }

// ---- sums of a warp group: 64 rows, N columns
INLINE u32 halves(float low, float high) {
  u32 h;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(h) : "f"(high), "f"(low));
  return h;
}
INLINE int sum_row() { return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4; }
INLINE int sum_column() { return threadIdx.x % 4 * 2; }
// To the f16 matrix c of n columns.
template <int N> INLINE void write_sums(void *c, int n, int row, int column, float (&d)[N]) {
  u32 *to = (u32 *)c + ((size_t)(row + sum_row()) * n + column + sum_column()) / 2;
#pragma unroll
  for (int i = 0; i < N / 4; i++) {
    to[i * 4] = halves(d[4 * i], d[4 * i + 1]);
    to[i * 4 + 4 * n] = halves(d[4 * i + 2], d[4 * i + 3]);
  }
}
template <int N> struct Mma;
]==]

local function list(n, form, from)
  local t = {}
  for i = 0, n - 1 do t[i + 1] = form:format(i + (from or 0)) end
  return table.concat(t, ", ")
end

-- A product d = a * b + (add ? d : 0). shape: k and the types; a: its operands in C++, with
-- constraints; tail: what follows the scale of d.
local METHOD = [==[
  %s static INLINE void %s(float (&d)[%d], %s u64 b, int add = 1) {
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %%%d, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n%d%s {%s}, %s, %%%d, p, %s;\n\t}"
      : %s : %s, "l"(b), "r"(add)%s : "memory");
  }
]==]

local function methods(n)
  local d = n // 2
  local function method(name, shape, tail, regs, template, constants)
    local count = regs and 4 or 1
    return METHOD:format(template or "", name, d,
      regs and "u32 a0, u32 a1, u32 a2, u32 a3," or "u64 a,", d + count + 1, n, shape,
      list(d, "%%%d"), regs and "{" .. list(4, "%%%d", d) .. "}" or "%" .. d, d + count, tail,
      list(d, '"+f"(d[%d])'), regs and list(4, '"r"(a%d)') or '"l"(a)', constants or "")
  end
  return method("f16", "k16.f32.f16.f16", "1, 1, 0, 0")
    .. method("f16_regs", "k16.f32.f16.f16", "1, 1, %" .. d + 6, true, "template <int ACROSS>",
      ', "n"(ACROSS)')
    .. method("e4m3", "k32.f32.e4m3.e4m3", "1, 1")
end

-- The header, with products of these numbers of columns: Mma<N>::f16(d, a, b), and so on.
function M.header(columns)
  local text = { HEAD }
  for _, n in ipairs(columns) do
    text[#text + 1] = ("template <> struct Mma<%d> {\n%s};\n"):format(n, methods(n))
  end
  return table.concat(text)
end

-- Options that compile a source for sm_90a. defines: macros; columns: as above.
function M.options(defines, columns)
  return { arch = "sm_90a", headers = { ["hopper.h"] = M.header(columns) }, defines = defines }
end

-- ---- running

-- How often each kernel of a spec is launched, from LUACUDA_REPEATS. On a GPU a wrong order of
-- asynchronous operations may show in some launches only.
function M.repeats() return tonumber(os.getenv "LUACUDA_REPEATS") or 1 end

-- Bytes that no kernel here computes: NaN in floats.
function M.poison(array) array:view("uint8"):fill(255) end

-- Launches repeatedly, each time onto a poisoned result.
function M.run(p, same)
  local want = p.want()
  for _ = 1, M.repeats() do
    M.poison(p.out)
    p.launch()
    same(want, p.out:totable())
  end
end

return M
