-- traced_shape.lua: #x, x.size, x.ndim and x.shape[k] of arguments during a trace: numbers that Lua
-- reads at each call, because one kernel serves all shapes.

local fail = require("luacuda.base.arguments").fail
local record = require "luacuda.fuse.trace_record"

local trace_of, add_node, value_of = record.trace_of, record.add_node, record.value_of

local M = {}

-- A number that belongs to the shape of an argument, from Lua's expression for it.
local function size_number(node, code)
  local trace = trace_of("fuse", { node.value }, 1)
  local known = trace.known[code]
  if not known then
    known = add_node(trace, { host_kind = "int", name = "size", shown = code, code = code,
      staged = true })
    trace.known[code] = known
  end
  return value_of(known)
end

local Shape = { __name = "luacuda.Traced shape" }

function Shape.__index(shape, k)
  if math.type(k) ~= "integer" then
    fail("fuse", "the shape of an argument has only numbers here: write x.shape[1]")
  end
  return size_number(shape.node, ("a%d.shape[%d]"):format(shape.node.arg, k))
end

for _, event in ipairs{ "__len", "__newindex", "__pairs" } do
  Shape[event] = function(shape)
    fail("fuse", "the shape of %s has only items here, such as x.shape[1], because one kernel "
      .. "serves all shapes", rawget(shape, "node").shown)
  end
end

-- of(node, name) -> the field of an argument that belongs to its shape: "size", "ndim", "shape",
-- "#"; nil for other fields and other nodes
function M.of(node, name)
  if not node.arg or next(node.arrays) == nil then return nil end
  local own = ("a%d"):format(node.arg)
  if name == "#" then return size_number(node, "#" .. own) end
  if name == "size" or name == "ndim" then
    return size_number(node, ("%s.%s"):format(own, name))
  end
  if name == "shape" then return setmetatable({ node = node }, Shape) end
end

return M
