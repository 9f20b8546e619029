-- scan_source.lua: the CUDA text of a scan for the types and the layout of a call.
--
-- A spec has name, prelude (CUDA text before everything), acc (the accumulator's C++ type), map,
-- scan, post, identity (the user's texts, as origins; the last two may be nil), macros (see
-- macros.lua), exclusive, plan_size (numbers of the plan), rows (does the flat kernel have several
-- sequences?), segments (are there marks from an array?), vector (V) and steps (S) or width (TX),
-- rows_each (R) and alone (one thread looks back for a column, else a warp), and params: a list of
-- { index, name, ctype, output, segments, lay (of arrays taken by element), class = "flat" |
-- "strided" | "scalar" | "raw", slot (in the plan), kind (of scalars), rank and contiguous (of raw
-- arrays) }.
--
-- The kernel's parameters: the addresses of all arrays (void *), the scratch array (64-bit words of
-- zeros; NULL where no tile looks back), and a struct: the numbers of the plan, then as many bytes
-- as the accumulator has.

local SOURCES = { flat = "luacuda.builder.scan_flat", columns = "luacuda.builder.scan_columns" }

-- source.text(kind, spec) -> CUDA text; kind "flat" or "columns".
local function text(kind, spec) return require(SOURCES[kind]).source(spec) end

return { text = text, threads = require("luacuda.builder.scan_parts").THREADS }
