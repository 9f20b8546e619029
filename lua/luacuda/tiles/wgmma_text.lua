-- wgmma_text.lua: C++ for wgmma.mma_async and for the copies and barriers around it.

local M = {}

local function numbered(first, n, text)
  local list = {}
  for k = 0, n - 1 do list[k + 1] = (text:gsub("#", first + k)) end
  return table.concat(list, ", ")
end

-- The constants after the operands: what multiplies the factors, which of them are transposed.
local function modifiers(kind, in_registers, left_swapped, right_swapped)
  if kind.sum == "s32" then return "" end
  local list = { 1, 1 }
  if kind.size == 2 then
    if not in_registers then list[3] = left_swapped and 1 or 0 end
    list[#list + 1] = right_swapped and 1 or 0
  end
  return ", " .. table.concat(list, ", ")
end

-- product(kind, columns, in_registers, left_swapped, right_swapped) -> the name of a function
-- (sums, a, b, add), its text. kind: of tensor_kinds.lua; a: a descriptor, or four registers of two
-- elements; add: 0 where the sums begin.
function M.product(kind, columns, in_registers, left_swapped, right_swapped)
  local n, is_float = columns // 2, kind.sum == "f32"
  local name = ("_lcu_wgmma_%s_%d_%s%d%d"):format(kind.name, columns, in_registers and "r" or "s",
    left_swapped and 1 or 0, right_swapped and 1 or 0)
  local a = in_registers and "{" .. numbered(n, 4, "%#") .. "}" or "%" .. n
  local b = n + (in_registers and 4 or 1)
  return name, ([[
__device__ __forceinline__ void NAME(TYPE *c, LEFT, unsigned long long b, int add) {
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %ADD, 0;\n"
    "wgmma.mma_async.sync.aligned.m64nCOLUMNSkDEPTH.SUM.KIND.KIND {SUMS}, A, %B, addMODIFIERS;\n}"
    : OUTPUTS : INPUTS, "l"(b), "r"(add) : "memory");
}
]]):gsub("%u%u*", { NAME = name, COLUMNS = tostring(columns), KIND = kind.name,
    DEPTH = tostring(kind.depth), SUM = kind.sum, TYPE = is_float and "float" or "int",
    SUMS = numbered(0, n, "%#"), A = a, B = tostring(b),
    ADD = tostring(b + 1), MODIFIERS = modifiers(kind, in_registers, left_swapped, right_swapped),
    OUTPUTS = numbered(0, n, ("\"+%s\"(c[#])"):format(is_float and "f" or "r")),
    LEFT = in_registers and "const unsigned (&a)[4]" or "unsigned long long a",
    INPUTS = in_registers and numbered(0, 4, "\"r\"(a[#])") or "\"l\"(a)" })
end

M.TOOLS = [[
struct alignas(64) _lcu_tensor_map { unsigned long long bits[16]; };
__device__ __forceinline__ unsigned _lcu_address(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void _lcu_barrier_init(unsigned long long *b, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(_lcu_address(b)), "r"(count)
    : "memory");
}
__device__ __forceinline__ void _lcu_barrier_expect(unsigned long long *b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
    :: "r"(_lcu_address(b)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void _lcu_barrier_arrive(unsigned long long *b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(_lcu_address(b)) : "memory");
}
__device__ __forceinline__ void _lcu_barrier_wait(unsigned long long *b, int parity) {
  asm volatile("{\n.reg .pred done;\nagain:\n"
    "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}"
    :: "r"(_lcu_address(b)), "r"(parity) : "memory");
}
// Both in units of 16 bytes: where the operand is, and what lies between its lines.
__device__ __forceinline__ unsigned long long _lcu_descriptor(unsigned place, int leading) {
  return place + ((unsigned)leading << 16) | 64ull << 32 | 1ull << 62;
}
// What is written to registers stays before the next fence.
__device__ __forceinline__ void _lcu_settle(float &x) { asm volatile("" : "+f"(x) :: "memory"); }
__device__ __forceinline__ void _lcu_settle(int &x) { asm volatile("" : "+r"(x) :: "memory"); }
__device__ __forceinline__ void _lcu_settle(unsigned &x) { asm volatile("" : "+r"(x) :: "memory"); }
template <class T> __device__ __forceinline__ unsigned _lcu_two(const T &a, const T &b) {
  return *(const unsigned short *)&a | (unsigned)*(const unsigned short *)&b << 16;
}
]]

M.CLUSTERS = [[
__device__ __forceinline__ void _lcu_cluster_sync() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
// Arrives at the barrier object in the same place of a block of the cluster.
__device__ __forceinline__ void _lcu_cluster_arrive(unsigned long long *b, unsigned block) {
  asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
    "mbarrier.arrive.shared::cluster.b64 _, [there];\n}"
    :: "r"(_lcu_address(b)), "r"(block) : "memory");
}
]]

-- copy(ndim [, size]) -> the name of a function that copies a box of a tensor map, to all blocks of
-- a cluster of that size, its text
function M.copy(ndim, size)
  local name, arguments = "_lcu_copy_" .. ndim, {}
  if size then name = name .. "_to_all" end
  for k = 1, ndim do arguments[k] = "int x" .. k end
  return name, ([[
__device__ __forceinline__ void NAME(unsigned to, const _lcu_tensor_map *map, ARGUMENTS,
                                     unsigned long long *b) {
  asm volatile("cp.async.bulk.tensor.DIMd.shared::cluster.global.tile"
    ".mbarrier::complete_tx::bytesALL [%0], [%1, {PLACES}], [%2]MASK;"
    :: "r"(to), "l"(map), "r"(_lcu_address(b)), INPUTS : "memory");
}
]]):gsub("%u%u+", { NAME = name, ALL = size and ".multicast::cluster" or "",
    MASK = size and (", %%%d"):format(ndim + 3) or "", DIM = tostring(ndim),
    ARGUMENTS = table.concat(arguments, ", "), PLACES = numbered(3, ndim, "%#"),
    INPUTS = numbered(1, ndim, "\"r\"(x#)")
      .. (size and (", \"h\"((unsigned short)%d)"):format((1 << size) - 1) or "") })
end

M.STORES = [[
// Threads of a group of four warps wait for each other.
__device__ __forceinline__ void _lcu_group_wait(int group) {
  asm volatile("bar.sync %0, 128;" :: "r"(group + 2) : "memory");
}
// Until all but the latest store have read their part of shared memory.
__device__ __forceinline__ void _lcu_store_wait() {
  asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}
]]

-- store(ndim) -> the name of a function that stores a box of a tensor map, its text
function M.store(ndim)
  local name, arguments = "_lcu_store_" .. ndim, {}
  for k = 1, ndim do arguments[k] = "int x" .. k end
  return name, ([[
__device__ __forceinline__ void NAME(const _lcu_tensor_map *map, unsigned from, ARGUMENTS) {
  asm volatile("cp.async.bulk.tensor.DIMd.global.shared::cta.tile.bulk_group [%0, {PLACES}], [%1];"
    :: "l"(map), "r"(from), INPUTS : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
]]):gsub("%u%u+", { NAME = name, DIM = tostring(ndim), ARGUMENTS = table.concat(arguments, ", "),
    PLACES = numbered(2, ndim, "%#"), INPUTS = numbered(1, ndim, "\"r\"(x#)") })
end

return M
