-- unit.lua: what is shared by all functions of one kernel written in Lua: names, the definitions
-- that its text needs, what it depends on.
--
--   what       begins messages ("jit")
--   guards     list of { read =, value = }: the kernel holds while read() gives the value;
--              readers.lua makes `read`
--   hiddens    list of { read =, slot =, key = }: arrays that are upvalues
--   instances  list of contexts of functions on the device, callees first
--   stack      the functions that are being read, for recursion
--   compiler   options of the compiler that functions in C++ need
--   debug      is the kernel compiled for debuggers?
--   of_elements  do the functions compute single elements, without threads?
--   of_arrays    of fused functions, whose values stand for arrays: fuse/of_elements.lua
--   of_tiles     of kernels over tiles: the language and the text of tiles (tiles/)
--   no_arrays    why they see no arrays among their upvalues, or nil: text for the array's name

local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"
local own_texts = require "luacuda.jit.emit.lua_source"
local text = require "luacuda.jit.read.function_text"
local arguments_of = require "luacuda.jit.typed.kinds"
local nodes = require "luacuda.jit.typed.nodes"
local readers = require "luacuda.jit.typed.readers"
local structs = require "luacuda.jit.typed.structs"
local types = require "luacuda.jit.typed.value_types"

local Unit = {}
Unit.__index = Unit

-- new(what [, source]) -> unit; `source`: the text of the kernel itself
local function new(what, source)
  local unit = setmetatable({ what = what, guards = {}, guarded = {}, hiddens = {},
    instances = {}, stack = {}, counts = {}, taken = {}, mentioned = {},
    dtypes = {}, needed = {}, texts = {}, names = {}, structs = {},
    tables = {}, sources = {}, compiler = {} }, Unit)
  if source then unit:adopt(source) end
  return unit
end

-- Lets messages of compilers and faults of kernels name the file and line of a function:
-- source.token is its name for #line marks.
local function register(source)
  local origin = origins.register(source.text, "function")
  origin.file, origin.first = source.path or source.file, source.line
  source.origin, source.token = origin, origin.token
end

-- The unit uses this text of a function, which is returned.
function Unit:adopt(source)
  if not self.sources[source.fn] then
    register(source)
    self.sources[source.fn] = source
  end
  return source
end

-- A C++ name for the library's own use that no other variable or function has: `x_`, and `x_2` for
-- the second x. It ends with an underscore or a number after one, so it is none of CUDA's.
function Unit:own_name(name)
  local count, made = self.counts[name] or 0
  repeat
    count = count + 1
    made = ("%s_%s"):format(name, count > 1 and count or "")
  until not self.taken[made]
  self.counts[name], self.taken[made] = count, true
  return made
end

-- A C++ name for what is called `name` in Lua; messages show it under that name.
function Unit:name(name)
  local plain = name:gsub("[^%w_]", "_")
  local made = self:own_name(plain)
  naming.note_variable(made, plain)
  return made
end

-- No variable or function may have this C++ name.
function Unit:reserve(name) self.taken[name] = true end

-- The kernel uses elements of this dtype.
function Unit:mention(dtype)
  local name = types.dtype_of(dtype)
  if name and not self.mentioned[name] then
    self.mentioned[name] = true
    self.dtypes[#self.dtypes + 1] = name
  end
end

-- The kernel uses a part of the prelude.
function Unit:prelude(name)
  if self.mentioned[name] then return end
  self.mentioned[name] = true
  self.dtypes[#self.dtypes + 1] = name
end

local function add_text(self, one)
  if self.needed[one] then return end
  self.needed[one] = true
  if one:find "_lcu_exact_" and not one:find "_lcu_order_" then
    add_text(self, own_texts._lcu_order)
  end
  self.texts[#self.texts + 1] = one
end

-- The kernel needs these definitions: texts, or names in lua_source.lua.
function Unit:need(list)
  for _, one in ipairs(list or {}) do add_text(self, own_texts[one] or one) end
end

-- Adds a list or a table by names to an option.
local function add_option(list, value)
  for key, item in pairs(type(value) == "table" and value or { value }) do
    if type(key) == "string" then list[key] = item else list[#list + 1] = item end
  end
end

-- The kernel calls a function in C++, and is compiled with its options (device_function.lua).
function Unit:compile_with(state)
  self.waits = true -- it may have a barrier
  if self.needed[state] then return end
  self.needed[state] = true
  for name, value in pairs(state.options) do
    if name == "std" then self.compiler.std = value
    else
      self.compiler[name] = self.compiler[name] or {}
      add_option(self.compiler[name], value)
    end
  end
end

-- options(own) -> the options of the compiler for this unit: `own` and those of its functions
function Unit:options(own)
  local all = {}
  for name, value in pairs(self.compiler) do all[name] = value end
  for name, value in pairs(own) do
    if type(all[name]) == "table" then
      local joined = {}
      add_option(joined, all[name])
      add_option(joined, value)
      all[name] = joined
    else all[name] = value end
  end
  return all
end

-- The kernel holds while read() (readers.lua) gives the value; once for each place.
function Unit:guard(read, value)
  local owner, key = readers.place(read)
  local keys = self.guarded[owner] or {}
  self.guarded[owner] = keys
  if keys[key] then return end
  keys[key] = true
  self.guards[#self.guards + 1] = { read = read, value = value }
end

-- The expression for an array, a texture or a surface that is an upvalue; `ctx`: the function that
-- uses it.
function Unit:hidden(ctx, read, value, label)
  for _, known in ipairs(self.hiddens) do
    if known.label == label and known.value == value then
      ctx.captured[known.slot] = true
      return known.expression
    end
  end
  local type = arguments_of.of(value)
  local slot = { name = self:name(label), type = type, var = { name = label } }
  slot.origin = types.is_array(type) and {} or nil
  slot.by_value = type.space == "value"
  local e = nodes.var(slot)
  e.origin, ctx.captured[slot] = slot.origin, true
  self.hiddens[#self.hiddens + 1] = { read = read, value = value, label = label, slot = slot,
    key = types.key(type), expression = e }
  return e
end

-- Ends the reading of functions. What they refer to is read again at each call, so that a kernel
-- keeps no array alive.
function Unit:finish()
  self.names = {}
  for _, hidden in ipairs(self.hiddens) do hidden.value = nil end
end

-- The C++ name of a struct.
function Unit:struct_name(struct)
  if not self.structs[struct] then
    local name = struct.name
    if not name:find "^[%a_][%w_]*$" or name == "struct" then name = self:name "record"
    elseif self.of_elements or self.taken[name] then name = self:name(name) end
    self.structs[struct], self.taken[name] = name, true
    self:need{ structs.text(self, struct, name) }
  end
  return self.structs[struct]
end

-- The text of a Lua function, read once.
function Unit:source(fn)
  return self.sources[fn] or self:adopt(text.of(fn, self.what))
end

return { new = new }
