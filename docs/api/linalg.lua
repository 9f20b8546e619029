-- Linear algebra: functions of the module and methods of Array.
local A, B = "a: Array", "b: Array, on the same device"
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local OUT = "out?: Array, array of the result's shape and dtype to write to; may be an operand"
local OPTIONS = {
  OUT, STREAM,
  [[backend?: "cublas"|"kernel" (the fastest), what multiplies matrices: cuBLAS, which GPUs and
    float and complex dtypes have, or kernels of the library]],
  "tf32?: boolean (false), let cuBLAS round float32 and complex64 to TF32 before it multiplies",
}
local MISFIT = "a string with both shapes if they do not fit"
local NUMBER = [[Array|number|boolean|Complex, a Lua value if the result has no axes and `out` is
  not given]]

return {
  title = "Linear algebra",
  text = [[
    Dtypes are promoted as by `a * b`. Floats of 8 and 16 bits are summed in float32, integers wrap
    around in their own dtype, and for booleans a product is `and`, a sum `or`. On GPUs float and
    complex matrix products use cuBLAS if it is found. Other dtypes and GPUs without cuBLAS (or with
    `LUACUDA_LIBCUBLAS=off`) use LuaCUDA's own tiled kernel, which is compiled at its first use for
    a dtype; products of vectors are reductions. The CPU device multiplies without kernels: float32,
    float64, complex64 and complex128 by a BLAS if one is found (see
    [`LUACUDA_LIBBLAS`](#environment-variables)), all else by functions of its own. Transposed views
    are never copied, other views only if cuBLAS cannot read them.]],
  parts = { {
    class = "luacuda",
    entries = {
      { "matmul", method = true, params = { A, B }, options = OPTIONS, returns = { NUMBER },
        raises = MISFIT,
        text = [[Returns the matrix product: {..., m, k} by {..., k, n} gives {..., m, n}. The axes
          before the last two broadcast. A vector is a row on the left and a column on the right,
          and its axis is not in the result.]] },
      { "dot", method = true, params = { A, B }, options = OPTIONS, returns = { NUMBER },
        raises = MISFIT,
        text = [[Returns the sum of products over the last axis of `a` and the last but one of `b`
          (its only axis if it has one): the scalar product of vectors, the matrix product of
          matrices. If one of the two has no axes, the result is `a * b`.]] },
      { "inner", method = true, params = { A, B }, options = OPTIONS, returns = { NUMBER },
        raises = MISFIT,
        text = "Returns the sum of products over the last axes of both." },
      { "outer", method = true, params = { A, B }, options = OPTIONS,
        returns = { "Array, of shape {a.size, b.size}" },
        text = "Returns the products of all elements of `a` with all elements of `b`." },
      { "vdot", method = true, params = { A, B }, options = OPTIONS, returns = { NUMBER },
        raises = "a string if the sizes differ",
        text = "Returns the sum of `conj(a) * b` over all elements in C order." },
      { "tensordot", params = { A, B, [[axes?: integer|table (2), how many of the last axes of `a`
          and the first of `b` to sum over, or a list of axes of each:
          `{ { 2, 1 }, { 1, 2 } }`]] },
        options = { "axes?: integer|table, in place of the parameter", table.unpack(OPTIONS) },
        returns = { NUMBER }, raises = MISFIT,
        text = [[Returns the sum of products over pairs of axes. The result has the other axes of
          `a`, then those of `b`. It is one product of matrices.]] },
      { "kron", params = { A, B }, options = { OUT, STREAM }, returns = { NUMBER },
        text = [[Returns the Kronecker product: `b` times each element of `a`, as blocks. Each
          extent of the result is the product of theirs; missing axes in front have one
          element.]] },
      { "einsum", params = { [[subscripts: string, a letter for each axis of each operand, with
          commas between operands, and optionally `->` with the letters of the result]],
          [[...: Array|table, the operands, then optionally a table of the options `out`, `stream`,
            `backend` and `tf32`]] }, returns = { NUMBER },
        raises = "a string for subscripts that do not fit the operands",
        text = [[Returns the sum of products over all letters that the result lacks:
          `cuda.einsum("bij,bjk->bik", a, b)` multiplies batches of matrices. `...` stands for any
          further axes, which broadcast, as axes of one element do. A letter twice in one operand
          takes its diagonal. Without `->` the result has the axes of `...` and then the letters
          that occur once, in alphabetical order.

          Operands are contracted two at a time, the pair with the smallest result first. A pair
          becomes a product of matrices, a reduction or a product of elements. One operand that is
          only transposed, or whose diagonal is taken, gives a view where its strides allow it.]] },
      { "trace", method = true, reduces = true, params = { "a: Array, a matrix" },
        options = { "out?: Array, array without axes to write to",
          "dtype?: Dtype (int64 for integers, uint64 for unsigned ones, else that of `a`)",
            STREAM },
        returns = { "Array|number|boolean|Complex, a Lua value if `out` is not given" },
        raises = "a string if `a` is not a matrix",
        text = "Returns the sum of the diagonal." },
      { "norm", method = true, reduces = true,
        params = { A, 'ord?: number|string (2, for matrices "fro"), the norm' },
        options = { "ord?: number|string, in place of the parameter",
          [[axis?: integer|integer[] (all; with `ord` those of a vector or matrix), one axis of
            vectors or two axes of matrices]],
          "keepdims?: boolean (false), keep the reduced axes, with one element",
          "out?: Array, array of the result's shape and dtype to write to", STREAM },
        returns = { "Array|number, an array if `axis`, `out` or `keepdims` is given" },
        raises = "a string if `ord` is not a norm of vectors or matrices",
        text = [[Returns norms. Without `axis` and `ord` it is the root of the sum of all squares.

          - For vectors `ord` is 2, 1, `math.huge` (the largest absolute value), `-math.huge` (the
            smallest), 0 (the number of elements that are not zero) or any other p.
          - For matrices it is `"fro"`, 1 or -1 (the largest or smallest sum of a column),
            `math.huge` or `-math.huge` (of a row), of absolute values.

          The result has the float dtype of `a` (float64 for integers, the real dtype for complex
          numbers); 16-bit dtypes are computed in float32.]] },
    },
  } },
}
