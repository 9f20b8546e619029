-- meanings.lua: what names and fields that are known when the kernel is made stand for: constants,
-- arrays, functions, names of the kernel's language. What a kernel depends on is noted as a guard,
-- and compared before each launch.

local core = require "luacuda.core"
local builtins = require "luacuda.jit.names.builtins"
local language = require "luacuda.jit.names.language"
local hints = require "luacuda.jit.names.replacements"
local names = require "luacuda.jit.read.free_names"
local nodes = require "luacuda.jit.typed.nodes"
local readers = require "luacuda.jit.typed.readers"
local report = require "luacuda.jit.typed.report"
local tables = require "luacuda.jit.typed.tables"
local types = require "luacuda.jit.typed.value_types"

local fail = report.fail

local M = {}

-- What is passed to the kernel by each launch.
local ARGUMENTS = { array = true, texture = true, surface = true, record = true }

-- A name of the kernel's language.
local function known(ctx, node, row, name)
  if ctx.unit.of_tiles and (row.of_threads or name:find "^atomic_" and not row.read) then
    fail(ctx, node, "'%s' is about threads, and a kernel over tiles has programs: write a kernel "
      .. "of threads with cuda.jit", name)
  end
  if ctx.unit.of_elements and row.of_threads then
    fail(ctx, node, "'%s' is about threads, and the function computes one element: write a kernel "
      .. "with cuda.jit", name)
  end
  return row.value and row.value(ctx, node) or { op = "builtin", row = row, name = name }
end

-- Raises for functions that have no meaning on a device.
local function check_function(ctx, node, fn, label)
  if hints.is_own(fn) then
    fail(ctx, node, "'%s' is a function of whole arrays or of the host: call it outside of the "
      .. "kernel", label)
  end
  if debug.getinfo(fn, "S").what == "C" then
    fail(ctx, node, "'%s' cannot run on a device: it is a function of a library in C", label)
  end
end

-- Raises for a name that has no value.
local function fail_nil(ctx, node, label)
  local name = label:match "[%w_]+$"
  local words = ctx.unit.of_tiles and hints.sentence("kernel tiles", name) or hints.name(name)
  if words then fail(ctx, node, "'%s': %s", label, words) end
  fail(ctx, node, "'%s' is nil: a kernel knows its parameters, locals, upvalues and globals%s",
    label, core.near(label, language.names()))
end

-- A function of cuda.vectorize, which computes one element in a kernel; raises for kernels.
local function object(ctx, node, value, label)
  local vectorized = core.vectorize_state(value)
  if vectorized then
    return { op = "function", fn = ctx.unit:adopt(vectorized.source).fn, name = label }
  end
  if core.jit_state(value) then
    fail(ctx, node, "'%s' is a kernel, and kernels launch no kernels: call its Lua function, kept "
      .. "in a variable of its own", label)
  end
end

-- The expression that stands for a Lua value; `label` names it in messages.
local function wrap(ctx, node, value, label, read)
  local literal = nodes.literal(value)
  if literal then return literal end
  if ctx.unit.of_tiles and value == load then
    fail(ctx, node, "'%s' is Lua's own load: the load of tiles has no other name", label)
  end
  local row = value ~= nil and builtins.of(value)
  if row then return known(ctx, node, row, label) end
  if ctx.unit.of_arrays then value = ctx.unit.of_arrays.callee(ctx, node, value, label) end
  if type(value) == "function" then
    check_function(ctx, node, value, label)
    return { op = "function", fn = value, name = label }
  end
  local kind = core.type(value)
  if kind == "array" then
    if ctx.unit.no_arrays then fail(ctx, node, ctx.unit.no_arrays, label) end
    return ctx.unit:hidden(ctx, read, value, label)
  end
  if ARGUMENTS[kind] then
    if ctx.unit.of_elements then
      fail(ctx, node, "'%s' is a %s, which kernels of cuda.jit take", label, kind)
    end
    return ctx.unit:hidden(ctx, read, value, label)
  end
  if kind == "scalar" then return nodes.const(value.dtype, value.value) end
  if type(value) == "table" then
    local own = object(ctx, node, value, label)
    if own then return own end
    return { op = "static", static = true, value = value, name = label }
  end
  if value == nil then fail_nil(ctx, node, label) end
  fail(ctx, node, "'%s' is a %s, which a kernel cannot use", label, kind or type(value))
end
M.wrap = wrap

-- The table of a function's globals.
local function environment(source)
  for k, name in ipairs(source.upvalues) do
    if name == "_ENV" then return (select(2, debug.getupvalue(source.fn, k))) end
  end
  return {}
end

-- What a free name of the function means, and a function that reads its value again.
local function find(ctx, name)
  local source = ctx.source
  local all = ctx.unit.names[source]
  if not all then
    all = names.of(source, ctx.unit.what)
    ctx.unit.names[source] = all
  end
  local row = all[name] or { kind = "global" }
  local read
  if row.kind == "upvalue" then read = readers.upvalue(source.fn, row.index)
  elseif row.kind == "global" then read = readers.field(environment(source), name) end
  return row, read
end

-- A free name: an upvalue, a name of the kernel's language, or a global.
function M.of(ctx, node)
  local name = node.name
  local found, read = find(ctx, name)
  local row = found.kind == "global" and language.rows[name]
  if found.kind == "global" and ctx.unit.of_tiles then
    local constant = ctx.unit.of_tiles.constants[name]
    if constant ~= nil then return nodes.literal(constant) end
    row = ctx.unit.of_tiles.rows[name] or row
  end
  if row then
    return known(ctx, node, row, name)
  end
  if read and not ARGUMENTS[core.type(found.value)] then ctx.unit:guard(read, found.value) end
  return wrap(ctx, node, found.value, name, read)
end

-- A field of a name of the kernel's language: threadIdx.x.
local function builtin_field(ctx, node, e, key)
  local field = e.row.fields and e.row.fields[key]
  if field then return field(ctx, node) end
  local label = ("%s.%s"):format(e.name, key or "?")
  local words = hints.sentence("kernel", label) or e.row.fields and key and "it has x, y and z"
  if words then fail(ctx, node, "'%s': %s", label, words) end
  fail(ctx, node, "'%s' has no field '%s'", e.name, tostring(key))
end

-- Raises for a field that this library does not have.
local function fail_library(ctx, node, label, key, problem)
  local words = hints.sentence("kernel", label) or hints.sentence("kernel", key)
    or language.rows[key] and ("write %s, or cuda.gpu.%s"):format(key, key)
  if words then fail(ctx, node, "'%s': %s", label, words) end
  report.pass_on(ctx, node, problem)
end

-- A field of a name: math.floor, config.width, cuda.sqrt.
function M.field(ctx, node, e, key, index)
  if key == nil and index and index.op == "const" then key = index.value end
  if e.op == "builtin" then return builtin_field(ctx, node, e, key) end
  local from = e.value
  if type(from) ~= "table" then
    fail(ctx, node, "%s has no fields", e.name and ("'%s' is nil and"):format(e.name) or "nil")
  end
  if e.rows and math.type(key) then index, key = nodes.literal(key), nil end
  if key == nil then return M.table_item(ctx, node, e, index) end
  local label = ("%s.%s"):format(e.name or "table", key)
  local ok, value = pcall(function() return from[key] end)
  if not ok then fail_library(ctx, node, label, key, value) end
  local read = readers.field(from, key)
  if not builtins.is_library(from) and not ARGUMENTS[core.type(value)] then
    ctx.unit:guard(read, value)
  end
  return wrap(ctx, node, value, label, read)
end

-- An item of a list of numbers, at an index that is known only on the device.
function M.table_item(ctx, node, e, index)
  if not index or not types.is_integer(index.type) then
    fail(ctx, node, "'%s' is a Lua table: its index is an integer", e.name or "table")
  end
  return tables.at(ctx, node, e, index)
end

return M
