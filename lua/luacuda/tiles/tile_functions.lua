-- tile_functions.lua: functions of elements whose text in kernels over tiles is another than in
-- kernels of single elements.

local ufunc = require "luacuda.array.ufunc"
local rows = require "luacuda.jit.typed.rows"

ufunc.add_helpers{ _lcu_exp2_flushed = [[
__device__ __forceinline__ double _lcu_exp2_flushed(double x) { return exp2(x); }
__device__ __forceinline__ float _lcu_exp2_flushed(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
]] }

local M = {}

-- The instruction alone, whose relative error is at most 2^-22 (PTX ISA, ex2): 0 for x below -126.
M.exp2 = setmetatable({ key = "exp2_flushed", float = "_lcu_exp2_flushed(a)" },
  { __index = rows.find "exp2" })

return M
