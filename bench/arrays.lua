-- Runs the measurements of array_rows.lua and of its peer in separate processes and prints them
-- side by side. Started by bench/arrays.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local commands = require "commands"
local quote, measure = commands.quote, commands.measure

-- { name, reference, "<=" or ">=", wanted ratio, text }. The reference is the copy bandwidth
-- ("copy"), CuPy's figure ("peer") or a prepared launch of the same kind ("prepared").
local ROWS = {
  { "elementwise_float32", "copy", ">=", 0.95, "elementwise, three float32 arrays" },
  { "elementwise_float16", "copy", ">=", 0.90, "elementwise, three float16 arrays" },
  { "elementwise_uint8", "copy", ">=", 0.85, "elementwise, three uint8 arrays" },
  { "row_broadcast", "copy", ">=", 0.93, "elementwise, one input a row" },
  { "transposed_input", "copy", ">=", 0.75, "elementwise, one input transposed" },
  { "astype_float16", "copy", ">=", 0.93, "astype, float32 to float16" },
  { "copy_transpose3", "copy", ">=", 0.75, "copy of a transpose of 3 axes" },
  { "where", "copy", ">=", 0.93, "where" },
  { "fuse", "copy", ">=", 0.95, "fused function, three float32 arrays" },
  { "reduce_all", "copy", ">=", 0.95, "sum of squares, all" },
  { "reduce_last_axis", "copy", ">=", 0.93, "sum of squares, last axis" },
  { "reduce_first_axis", "copy", ">=", 0.93, "sum of squares, first axis" },
  { "argmax", "copy", ">=", 0.95, "argmax, all" },
  { "scan_all", "copy", ">=", 0.80, "cumsum, all" },
  { "scan_last_axis", "copy", ">=", 0.75, "cumsum, last axis" },
  { "scan_first_axis", "copy", ">=", 0.75, "cumsum, first axis" },
  { "boolean_selection", "copy", ">=", 0.60, "selection by a mask, input bytes" },
  { "random_uniform", "copy", ">=", 0.85, "uniform random float32" },
  { "random_normal", "copy", ">=", 0.60, "normal random float32" },
  { "sort_uint32", "peer", ">=", 0.60, "sort of 2^26 uint32, Gkeys/s" },
  { "matmul_float32", "peer", ">=", 0.98, "matrix product 8192^3 float32, TFLOP/s" },
  { "matmul_float16", "peer", ">=", 0.98, "matrix product 8192^3 float16, TFLOP/s" },
  { "call_elementwise_out", "prepared", "<=", 1.15, "elementwise call, output given, us" },
  { "call_elementwise_new", "prepared", "<=", 1.40, "elementwise call, output made, us" },
  { "call_add", "peer", "<=", 0.60, "a + b, us" },
  { "call_reduction_out", "peer", "<=", 0.60, "reduction of 1024 elements, output given, us" },
}

local function show(ours, peer)
  local limits = {
    copy = function() return ours.copy end,
    prepared = function() return ours.call_prepared end,
    peer = function(name) return peer[name] end,
  }
  print(("copy bandwidth %.0f GB/s, prepared launch %.2f us"):format(
    ours.copy or 0, ours.call_prepared or 0))
  print(("%-22s %10s %10s %8s %-9s %-7s %s"):format(
    "name", "ours", "CuPy", "ratio", "wanted", "", "what"))
  for _, row in ipairs(ROWS) do
    local name, kind, sense, wanted, text = table.unpack(row)
    local value, limit, other = ours[name], limits[kind](name), peer[name]
    local ratio = value and limit and value / limit
    local good = ratio and (sense == ">=" and ratio >= wanted or sense == "<=" and ratio <= wanted)
    local function figure(format, number) return number and format:format(number) or "-" end
    print(("%-22s %10s %10s %8s %s %-6.2f %-7s %s%s"):format(
      name, figure("%.2f", value), figure("%.2f", other), figure("%.3f", ratio),
      sense, wanted, ratio and (good and "ok" or "MISSED") or "-", text,
      kind == "copy" and other and limit and (" (CuPy %.2f)"):format(other / limit) or ""))
  end
end

if not os.execute [[lua5.4 -e 'os.exit(require("luacuda").available())']] then
  print "no NVIDIA driver or GPU: nothing to measure"
  return
end
local names = table.concat(arg, " ")
local peer = {}
if os.execute "python3 -c 'import cupy' 2>/dev/null" then
  peer = measure("python3 " .. quote(here .. "peer_arrays.py") .. " " .. names)
end
local rows = quote(here .. "array_rows.lua")
local ours = measure("env LUACUDA_DEVICE=0 lua5.4 " .. rows .. " " .. names)
show(ours, peer)
