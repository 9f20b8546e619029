-- Cumulative sums and the like: functions of the module and methods of Array.
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local OPTIONS = {
  "axis?: integer (all elements in C order, as one axis)",
  "dtype?: Dtype, dtype of the result, also used for the computation",
  "out?: Array, array of the result's shape and dtype to write to; may be the argument", STREAM,
}

-- with `include_initial`
local WITH_INITIAL = table.move(OPTIONS, 1, #OPTIONS, 1, {})
table.insert(WITH_INITIAL, 4, [[include_initial?: boolean (false), begin with the value of no
  elements, 0 or 1; the result has one element more along the axis]])

local function group(title, raises, text, rows, options)
  local entries = {}
  for i, row in ipairs(rows) do entries[i] = { row[1], params = { "a: Array" }, text = row[2] } end
  return { class = "luacuda", title = title, rows = true, method = true,
    options = options or OPTIONS,
    returns = { "Array, of the shape of `a`, or of one axis if `axis` is not given" },
    raises = raises, text = text, entries = entries }
end

return {
  title = "Scans",
  text = [[
    A scan combines each element with all those before it. It reads and writes every element once
    (decoupled look-back; Merrill and Garland, 2016) and gives the same bits each time.
    [cuda.scan](#cudascan) makes scans from an expression.]],
  parts = {
    group("Cumulative sums", "a string for complex numbers with a real `dtype`", [[
      Booleans and integers give int64 (uint64 for unsigned ones) unless `dtype` is given. Floats
      of 8 and 16 bits are computed in float32. With `include_initial`, `counts:cumsum` gives the
      offsets of segments of these sizes, as option `segments` of [sum](#cudasum) takes them.]], {
      { "cumsum", "The sum of each element and all before it." },
      { "cumprod", "The product of each element and all before it." },
    }, WITH_INITIAL),
    group("Cumulative extremes", "a string for complex numbers", [[
      From the first NaN on, every result is NaN. -0.0 is less than 0.0.]], {
      { "cummax", "The greatest element so far." }, { "cummin", "The least element so far." },
    }),
  },
}
