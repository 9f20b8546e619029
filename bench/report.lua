-- report.lua: prints the rows of bench/arrays beside their references.
local M = {}

-- { name, reference, "<=" or ">=", wanted ratio, text }. The reference is the copy bandwidth
-- ("copy"), the better of CuPy and torch ("peer") or a prepared launch of the same kind
-- ("prepared").
local GPU = {
  { "elementwise_float32", "copy", ">=", 0.95, "elementwise, three float32 arrays" },
  { "elementwise_float16", "copy", ">=", 0.90, "elementwise, three float16 arrays" },
  { "elementwise_uint8", "copy", ">=", 0.85, "elementwise, three uint8 arrays" },
  { "row_broadcast", "copy", ">=", 0.93, "elementwise, one input a row" },
  { "transposed_input", "copy", ">=", 0.75, "elementwise, one input transposed" },
  { "astype_float16", "copy", ">=", 0.93, "astype, float32 to float16" },
  { "where", "copy", ">=", 0.93, "where" },
  { "fuse", "copy", ">=", 0.95, "fused function, three float32 arrays" },
  { "exp", "peer", ">=", 1, "exp, GB/s" },
  { "power_float", "peer", ">=", 1, "x ^ 2.5, GB/s" },
  { "power_square", "peer", ">=", 1, "x ^ 2, GB/s" },
  { "power_arrays", "peer", ">=", 1, "x ^ y, GB/s" },
  { "maximum", "peer", ">=", 1, "maximum, GB/s" },
  { "clip_uint8", "peer", ">=", 1, "clip of uint8, GB/s" },
  { "reduce_all", "copy", ">=", 0.95, "sum of squares, all" },
  { "reduce_last_axis", "copy", ">=", 0.93, "sum of squares, last axis" },
  { "reduce_first_axis", "copy", ">=", 0.93, "sum of squares, first axis" },
  { "argmax", "copy", ">=", 0.95, "argmax, all" },
  { "sum_int8", "peer", ">=", 1, "sum of int8, GB/s" },
  { "sum_rows_of_32", "peer", ">=", 1, "sum of rows of 32, GB/s" },
  { "sum_strided", "peer", ">=", 1, "sum of every second element, GB/s" },
  { "mean", "peer", ">=", 1, "mean, GB/s" },
  { "var", "peer", ">=", 1, "var, GB/s" },
  { "std", "peer", ">=", 1, "std, GB/s" },
  { "var_last_axis", "peer", ">=", 1, "var, last axis, GB/s" },
  { "softmax", "peer", ">=", 1, "softmax of rows of 4096, GB/s" },
  { "scan_all", "copy", ">=", 0.80, "cumsum, all" },
  { "scan_last_axis", "copy", ">=", 0.75, "cumsum, last axis" },
  { "scan_first_axis", "copy", ">=", 0.75, "cumsum, first axis" },
  { "scan_float64", "peer", ">=", 1, "cumsum of float64, GB/s" },
  { "scan_int64", "peer", ">=", 1, "cumsum of int64, GB/s" },
  { "scan_float64_last_axis", "peer", ">=", 1, "cumsum of float64, last axis, GB/s" },
  { "scan_float64_first_axis", "peer", ">=", 1, "cumsum of float64, first axis, GB/s" },
  { "copy_transpose3", "copy", ">=", 0.75, "copy of a transpose of 3 axes" },
  { "flip", "peer", ">=", 1, "copy of a flip, GB/s" },
  { "roll", "peer", ">=", 1, "roll, GB/s" },
  { "concatenate", "peer", ">=", 1, "concatenate, two arrays, GB/s" },
  { "stack_2_last", "peer", ">=", 1, "stack of 2 on the last axis, GB/s" },
  { "stack_3_last", "peer", ">=", 1, "stack of 3 on the last axis, GB/s" },
  { "boolean_selection", "copy", ">=", 0.60, "selection by a mask, input bytes" },
  { "take", "peer", ">=", 1, "take of 2^26 of 2^26 float32, G/s" },
  { "random_uniform", "copy", ">=", 0.85, "uniform random float32" },
  { "random_uniform_float64", "peer", ">=", 1, "uniform random float64, GB/s" },
  { "random_normal", "copy", ">=", 0.60, "normal random float32" },
  { "random_normal_float64", "peer", ">=", 1, "normal random float64, GB/s" },
  { "random_exponential", "peer", ">=", 1, "exponential random float32, GB/s" },
  { "integers_int64", "peer", ">=", 1, "random int64 of 100, GB/s" },
  { "integers_int64_wide", "peer", ">=", 1, "random int64 of 10^15, GB/s" },
  { "integers_int32", "peer", ">=", 1, "random int32 of 100, GB/s" },
  { "integers_int32_power", "peer", ">=", 1, "random int32 of 1024, GB/s" },
  { "integers_uint8", "peer", ">=", 1, "random uint8 of 256, GB/s" },
  { "permutation", "peer", ">=", 1, "permutation of 2^26, G/s" },
  { "shuffle", "peer", ">=", 1, "shuffle of 2^26 float32, G/s" },
  { "choice", "peer", ">=", 1, "choice of 2^26 float32, G/s" },
  { "sort_uint32", "peer", ">=", 0.60, "sort of 2^26 uint32, Gkeys/s" },
  { "sort_float32", "peer", ">=", 1, "sort of 2^26 float32, Gkeys/s" },
  { "sort_int64", "peer", ">=", 1, "sort of 2^26 int64, Gkeys/s" },
  { "sort_uint64", "peer", ">=", 1, "sort of 2^26 uint64, Gkeys/s" },
  { "sort_float64", "peer", ">=", 1, "sort of 2^26 float64, Gkeys/s" },
  { "argsort_float32", "peer", ">=", 1, "argsort of 2^26 float32, Gkeys/s" },
  { "argsort_int64", "peer", ">=", 1, "argsort of 2^26 int64, Gkeys/s" },
  { "argsort_float64", "peer", ">=", 1, "argsort of 2^26 float64, Gkeys/s" },
  { "unique", "peer", ">=", 1, "unique of 2^26 int32 of 2^20, Gkeys/s" },
  { "matmul_float32", "peer", ">=", 0.98, "matrix product 8192^3 float32, TFLOP/s" },
  { "matmul_float16", "peer", ">=", 0.98, "matrix product 8192^3 float16, TFLOP/s" },
  { "matmul_bfloat16", "peer", ">=", 0.98, "matrix product 8192^3 bfloat16, TFLOP/s" },
  { "matmul_float64", "peer", ">=", 0.98, "matrix product 8192^3 float64, TFLOP/s" },
  { "call_elementwise_out", "prepared", "<=", 1.15, "elementwise call, output given, us" },
  { "call_elementwise_new", "prepared", "<=", 1.40, "elementwise call, output made, us" },
  { "call_add", "peer", "<=", 0.60, "a + b, us" },
  { "call_reduction_out", "peer", "<=", 0.60, "reduction of 1024 elements, output given, us" },
  { "call_matmul_32", "peer", "<=", 1, "matrix product 32^3 float32, us" },
  { "call_take", "peer", "<=", 1, "take of 1024, us" },
  { "call_take_rows", "peer", "<=", 1, "take of 32 rows of 32, us" },
  { "call_put", "peer", "<=", 1, "put of 1024, us" },
  { "call_scatter_add", "peer", "<=", 1, "scatter_add of 1024, us" },
  { "call_mask", "peer", "<=", 1, "selection by a mask of 1024, us" },
  { "call_putmask", "peer", "<=", 1, "putmask of 1024, a number, us" },
  { "call_concatenate", "peer", "<=", 1, "concatenate, two of 1024, us" },
  { "call_stack", "peer", "<=", 1, "stack of two of 1024, us" },
  { "call_roll", "peer", "<=", 1, "roll of 1024, us" },
  { "call_softmax", "peer", "<=", 1, "softmax of 32 rows of 32, us" },
  { "call_cumsum", "peer", "<=", 1, "cumsum of 1024, us" },
  { "call_sort", "peer", "<=", 1, "sort of 1024, us" },
  { "call_uniform", "peer", "<=", 1, "uniform random numbers, 1024, us" },
  { "call_permutation", "peer", "<=", 1, "permutation of 1024, us" },
}

-- Milliseconds on one thread, for 10^6 float32 where nothing else is said.
local CPU = {
  { "add", "peer", "<=", 3, "a + b, ms" },
  { "exp", "peer", "<=", 3, "exp, ms" },
  { "sum", "peer", "<=", 3, "sum, ms" },
  { "max", "peer", "<=", 3, "max, ms" },
  { "sum_rows", "peer", "<=", 3, "sum of rows of 1000, ms" },
  { "sum_columns", "peer", "<=", 3, "sum of columns of 1000, ms" },
  { "cumsum", "peer", "<=", 3, "cumsum, ms" },
  { "transpose", "peer", "<=", 3, "copy of a transpose, 1000 x 1000, ms" },
  { "mask", "peer", "<=", 3, "selection by a mask of half, ms" },
  { "take", "peer", "<=", 3, "take at random, ms" },
  { "sort", "peer", "<=", 3, "sort, ms" },
  { "argsort", "peer", "<=", 3, "argsort, ms" },
  { "uniform", "peer", "<=", 3, "uniform random numbers, ms" },
  { "normal", "peer", "<=", 3, "normal random numbers, ms" },
  { "integers", "peer", "<=", 3, "random int64 of 100, ms" },
  { "permutation", "peer", "<=", 3, "permutation of 10^6, ms" },
  { "matmul_512", "peer", "<=", 3, "matrix product 512^3, ms" },
  { "matmul_512_float64", "peer", "<=", 3, "matrix product 512^3 float64, ms" },
  { "matmul_narrow", "peer", "<=", 3, "matrix product {10000, 4} by {4, 4}, ms" },
}

local only = {}
for _, name in ipairs(arg) do only[name] = true end

local function figure(format, number) return number and format:format(number) or "-" end

-- The better of two figures, either of which may be nil.
local function better(sense, a, b)
  if not (a and b) then return a or b end
  return sense == ">=" and math.max(a, b) or math.min(a, b)
end

-- What follows the text of a row: the peers' shares of the copy bandwidth.
local function shares(copy, peers)
  local parts = {}
  for i, peer in ipairs { "CuPy", "torch" } do
    local value = peers[i]
    if value and copy then parts[#parts + 1] = ("%s %.2f"):format(peer, value / copy) end
  end
  return #parts > 0 and " (" .. table.concat(parts, ", ") .. ")" or ""
end

-- Prints a row: our figure, those of the two peers, and the references that are fixed.
local function show_row(row, value, first, second, fixed)
  local name, kind, sense, wanted, text = table.unpack(row)
  local limit = fixed[kind]
  if kind == "peer" then limit = better(sense, first, second) end
  local ratio = value and limit and value / limit
  local good = ratio and (sense == ">=" and ratio >= wanted or sense == "<=" and ratio <= wanted)
  print(("%-23s %10s %10s %10s %8s %s %-6.2f %-7s %s%s"):format(
    name, figure("%.2f", value), figure("%.2f", first), figure("%.2f", second),
    figure("%.3f", ratio), sense, wanted, ratio and (good and "ok" or "MISSED") or "-", text,
    kind == "copy" and shares(limit, { first, second }) or ""))
end

local function show(rows, heads, ours, peers, fixed)
  print(("%-23s %10s %10s %10s %8s %-9s %-7s %s"):format(
    "name", "ours", heads[1], heads[2], "ratio", "wanted", "", "what"))
  for _, row in ipairs(rows) do
    local name = row[1]
    if not next(only) or only[name] then
      show_row(row, ours[name], peers[1][name], peers[2][name], fixed)
    end
  end
end

-- Prints the figures of the GPU beside CuPy's and torch's.
function M.gpu(ours, cupy, torch)
  print(("copy bandwidth %.0f GB/s, prepared launch %.2f us"):format(
    ours.copy or 0, ours.call_prepared or 0))
  show(GPU, { "CuPy", "torch" }, ours, { cupy, torch },
    { copy = ours.copy, prepared = ours.call_prepared })
end

-- Prints the figures of the CPU device beside NumPy's.
function M.cpu(ours, numpy)
  print "the CPU device beside NumPy, each on one thread"
  show(CPU, { "NumPy", "" }, ours, { numpy, {} }, {})
end

return M
