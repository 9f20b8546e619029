-- reduction_store.lua: the part of a reduction kernel that stores results, or partial results.

local loads = require "luacuda.builder.reduction_loads"
local parts = require "luacuda.builder.reduction_parts"

local filter, is_constant, is_output = parts.filter, parts.is_constant, parts.is_output
local kept_offset, lane = loads.kept_offset, loads.lane

-- Storing -----------------------------------------------------------------------------------------

-- Stores the results of the state in `from` into variables _y<j>, or lanes of these. The variables
-- start with the values of the outputs, for post expressions that read or keep them; the compiler
-- drops the loads of values that are assigned.
local function post_call(list, from, out)
  local arguments = { "_plan.v[1]", from .. ".v" }
  for _, p in ipairs(filter(list, is_constant)) do arguments[#arguments + 1] = p.var end
  for _, p in ipairs(filter(list, is_output)) do arguments[#arguments + 1] = out(p) end
  return "_lcu_post(" .. table.concat(arguments, ", ") .. ");"
end

local function lanes_loop(desc) return ("for (int _l = 0; _l < %d; _l++) "):format(desc.vector) end

local function place(desc, p) return ("(char *)%s + (%s)"):format(p.var, kept_offset(desc, p)) end

-- The result of a row, from the state in `from` (_s).
local function row(desc, list, from)
  if desc.pass == "partial" then
    return "    _partials[(long long)_o * gridDim.y + blockIdx.y] = _s;\n"
  end
  local lines = {}
  local function add(fmt, ...) lines[#lines + 1] = "    " .. fmt:format(...) .. "\n" end
  local outputs = filter(list, is_output)
  for _, p in ipairs(outputs) do
    add("%s _y%d = *(%s *)(%s);", p.type, p.j, p.stored, place(desc, p))
  end
  add("%s", post_call(list, from or "_s", function(p) return "_y" .. p.j end))
  for _, p in ipairs(outputs) do add("*(%s *)(%s) = _y%d;", p.type, place(desc, p), p.j) end
  return table.concat(lines)
end

-- Statements that move a vector of results between memory and the pack _y<j>.
local function move_column(desc, p, store)
  local function assignment(memory, register)
    return store and ("%s = %s;\n"):format(memory, register)
      or ("%s = %s;\n"):format(register, memory)
  end
  local register, stored = "_y" .. p.j, store and p.type or p.stored
  if p.class == "unit" or desc.vector == 1 then
    local memory = ("*(_lcu_pack<%s, %d> *)(%s)"):format(stored, desc.vector, place(desc, p))
    return "    " .. assignment(memory, register)
  end
  local element = ("*(%s *)(%s + _l * (%s))"):format(stored, place(desc, p), lane(desc, p))
  return "    #pragma unroll\n    " .. lanes_loop(desc) .. assignment(element, register .. ".v[_l]")
end

-- A vector of results, from the states in `from` (_s[_l]).
local function column(desc, list, from)
  from = from or "_s[_l]"
  if desc.pass == "partial" then
    local at = ("(long long)blockIdx.y * _plan.v[0] + (long long)_o * %d + _l"):format(desc.vector)
    return ("    #pragma unroll\n    %s_partials[%s] = %s;\n"):format(lanes_loop(desc), at, from)
  end
  local lines = {}
  local outputs = filter(list, is_output)
  for _, p in ipairs(outputs) do
    lines[#lines + 1] = ("    _lcu_pack<%s, %d> _y%d;\n"):format(p.type, desc.vector, p.j)
      .. move_column(desc, p, false)
  end
  local post = post_call(list, from, function(p) return ("_y%d.v[_l]"):format(p.j) end)
  lines[#lines + 1] = ("    #pragma unroll\n    %s%s\n"):format(lanes_loop(desc), post)
  for _, p in ipairs(outputs) do lines[#lines + 1] = move_column(desc, p, true) end
  return table.concat(lines)
end

return { row = row, column = column }
