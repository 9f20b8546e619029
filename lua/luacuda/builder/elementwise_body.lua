-- elementwise_body.lua: the user's body in an elementwise kernel: a function before the kernel, or,
-- where the kernel has code before or after its loop, a lambda in it.

local parts = require "luacuda.builder.elementwise_parts"

local INLINE = "__device__ __forceinline__ "

local function has_frame(state) return state.loop_prep ~= nil or state.after_loop ~= nil end

-- A copy has a type that is a class: decltype(x)::index_t.
local function raw_reference(state, p)
  return ("const %s %s%s"):format(parts.raw_type(p), state.by_value and "" or "&", p.name)
end

local function parameter(state, p)
  if p.kind == "raw" then return raw_reference(state, p) end
  if p.output then return ("%s &%s"):format(p.type, p.name) end
  return ("const %s %s"):format(p.type, p.name)
end

local function is_array(p) return p.kind == "array" end

-- What a call of the body passes by element.
local function passed(state, list)
  if not has_frame(state) then return list end
  return parts.map(list, function(p) return is_array(p) and p or nil end)
end

-- In a block of its own, so that the body may declare names of parameters, also those of generated
-- code, and so that `continue` ends the element.
local function braces(state, text)
  return state.uses_continue and ("do {\n%s} while (0);\n"):format(text)
    or ("{\n%s}\n"):format(text)
end

local function index_parameter(state) return "const long long" .. (state.uses_i and " i" or "") end

-- `shape` is what gives the extents of the call.
local function index_object(state, desc, shape)
  if not state.uses_ind then return "" end
  local count = parts.count_name(state.params)
  if not desc.axes then return ("  const _lcu_index _ind = { %s };\n"):format(count) end
  return ("  _lcu_index<%d> _ind = { %s };\n  _ind._set(i, %s);\n"):format(desc.axes, count, shape)
end

local function text_of(state, desc, shape)
  return index_object(state, desc, shape)
    .. braces(state, parts.quoted(state, state.body, ";")) .. "}"
end

-- As a function. A body that uses `i` in a way that was not detected does not compile, because the
-- axes it gets are not in C order.
local function as_function(state, desc, list)
  local first = { "const long long " .. parts.count_name(state.params), index_parameter(state) }
  if desc.axes then first[3] = "const long long *_lcu_shape" end
  for _, p in ipairs(list) do first[#first + 1] = parameter(state, p) end
  return INLINE .. "void _lcu_body(" .. table.concat(first, ", ") .. ") {\n"
    .. text_of(state, desc, "_lcu_shape") .. "\n" .. parts.last_macros(state)
end

-- The names that the code before and after the loop sees: all but single elements.
local function locals(state, desc, list)
  local text = {}
  local function add(name, fmt, ...)
    text[#text + 1] = "  " .. fmt:format(...) .. (" (void)%s;\n"):format(name)
  end
  local count = parts.count_name(state.params)
  add(count, "const long long %s = _plan._n();", count)
  for _, p in ipairs(list) do
    if p.kind == "raw" then add(p.name, "%s = %s;", raw_reference(state, p), p.var)
    elseif not is_array(p) then add(p.name, "const %s %s = %s;", p.type, p.name, p.var) end
  end
  if state.uses_ind then
    add("_ind", "const _lcu_index%s _ind = { %s };", desc.axes and ("<%d>"):format(desc.axes) or "",
      count)
  end
  return table.concat(text)
end

local function code(state, origin) return origin and parts.quoted(state, origin, ";") or "" end

-- body.before(state, desc, list) -> text before the kernel
local function before(state, desc, list)
  return has_frame(state) and "" or as_function(state, desc, list)
end

-- body.open(state, desc, list) -> text after the kernel's opening brace
local function open(state, desc, list)
  if not has_frame(state) then return "" end
  local arguments = { index_parameter(state) }
  for _, p in ipairs(passed(state, list)) do arguments[#arguments + 1] = parameter(state, p) end
  return table.concat { locals(state, desc, list), code(state, state.loop_prep),
    "  const auto _lcu_body = [&](", table.concat(arguments, ", "), ") {\n",
    text_of(state, desc, "_plan._shape()"), ";\n  const auto _lcu_after = [&]() {\n",
    code(state, state.after_loop), "};\n", parts.last_macros(state), "  {\n" }
end

-- body.close(state) -> text that ends the kernel
local function close(state)
  return has_frame(state) and "  }\n  _lcu_after();\n}\n" or "}\n"
end

-- body.call(state, desc, list, index, argument) -> a call of the body; `argument` gives the text
-- that a parameter gets.
local function call(state, desc, list, index, argument)
  local arguments = { index }
  if not has_frame(state) then
    arguments = { "_plan.v[0]", index, desc.axes and "_plan._shape()" or nil }
  end
  for _, p in ipairs(passed(state, list)) do arguments[#arguments + 1] = argument(p) end
  return ("_lcu_body(%s);"):format(table.concat(arguments, ", "))
end

return { before = before, open = open, close = close, call = call }
