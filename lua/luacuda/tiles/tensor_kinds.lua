-- tensor_kinds.lua: what tensor cores multiply, by the dtype of the factors or the precision that
-- the kernel asks for.
--
-- A kind:
--   name     of the elements in PTX
--   size     bytes of an element; depth: elements along k of one instruction
--   left, right   words of a thread of its factors
--   sum      of the products in PTX
--   parts    how many numbers of fewer digits make up an element

local M = {}

local function kind(name, size, sum, parts, bytes)
  bytes = bytes or 32 -- of a row
  return { name = name, size = size, depth = bytes // size, sum = sum, left = bytes // 8,
    right = bytes // 16, parts = parts or 1 }
end

local KINDS = {
  float16 = kind("f16", 2, "f32"), bfloat16 = kind("bf16", 2, "f32"),
  float8_e4m3fn = kind("e4m3", 1, "f32"), float8_e5m2 = kind("e5m2", 1, "f32"),
  int8 = kind("s8", 1, "s32"), uint8 = kind("u8", 1, "s32"),
}
M.PRECISIONS = { tf32 = kind("tf32", 4, "f32"), tf32x3 = kind("tf32", 4, "f32", 2) }

-- of(e) -> the kind of a product; nil: tensor cores do not multiply these
function M.of(e)
  return e.precision and M.PRECISIONS[e.precision] or KINDS[e.left.type.dtype]
end

-- mma.sync of the CPU device takes float32 as well, and adds as fma does. Its right factor may be
-- by rows.
local ON_CPU = kind("f32", 4, "f32", 1, 64)

-- of_warps(w, e) -> the kind of a product by mma.sync; nil: there is none
function M.of_warps(w, e)
  if not w.tensor_cores then return nil end
  local on_cpu = w.tensor_cores == "cpu" and e.left.type.dtype == "float32"
  return M.of(e) or on_cpu and ON_CPU or nil
end

return M
