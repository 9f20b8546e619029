-- scan_variant.lua: the kernels of a scan, one for each set of types and each layout.

local core = require "luacuda.core"
local dtypes = require "luacuda.base.dtypes"
local shared = require "luacuda.builder.elementwise_parts"
local prelude = require "luacuda.builder.prelude"
local plan = require "luacuda.builder.scan_plan"
local generator = require "luacuda.builder.scan_source"
local variants = require "luacuda.builder.variants"
local lookup = require "luacuda.kernel.lookup"

-- Kernels -----------------------------------------------------------------------------------------

-- The fields of a state that the shared texts use.
local function state_of(s, functions)
  return { name = s.name, params = s.list, macros = s.macros, preamble = s.preamble,
    options = s.options, texts = s.texts, bodies = s.bodies, functions = functions,
    mentioned = s.dtypes }
end

local function same_types(a, b)
  for k, t in ipairs(a) do
    if t ~= b[k] then return false end
  end
  return true
end

local function described_structs(s, types)
  for _, desc in ipairs(s.with_structs) do
    if same_types(desc.given, types) then return desc end
  end
  local desc = { types = types, given = types, params = {}, serial = #s.with_structs + 1 }
  for k, t in ipairs(types) do desc.params[k] = { struct = type(t) ~= "string" and t or nil } end
  shared.name_structs(state_of(s), desc)
  s.with_structs[desc.serial] = desc
  return desc
end

-- described(s, types) -> { types = dtypes and the C++ names of structs, structs = what declares
-- these or nil, params = { { struct = } or nil }, serial = a number for these structs or nil }
local function described(s, types)
  for _, t in ipairs(types) do
    if type(t) ~= "string" then return described_structs(s, types) end
  end
  return { types = types, params = {} }
end

-- The text before everything: declarations of the dtypes, type placeholders, the user's preamble.
local function prelude_of(s, desc, instance, list)
  local state, raw = state_of(s, instance.functions), false
  local names = shared.all_types(state, desc)
  table.move(instance.dtypes, 1, #instance.dtypes, #names + 1, names)
  for _, q in ipairs(list) do
    raw = raw or q.class == "raw"
    if q.ctype == "bool" then names[#names + 1] = "bool" end
  end
  return table.concat { prelude.text(names), raw and shared.RAW or "",
    shared.user_types(state, desc) }
end

-- The C++ type of the accumulator, and its dtype where it is one. 16-bit floats are accumulated in
-- float.
local function accumulator(s, types)
  local dtype = s.scan_type
  for k, p in ipairs(s.list) do
    if p.placeholder == s.scan_type and dtype then dtype = types[k] end
  end
  if not dtype then
    dtype = dtypes.sum_of(types[s.nin + 1])
  end
  local row = dtypes.of(dtype)
  if row then return prelude.cname(row.name), row.name end
  return dtype, nil
end

-- The bytes of the accumulator, where they are known without the compiler.
local function accumulator_bytes(s, desc)
  local name, dtype = accumulator(s, desc.types)
  if dtype then return dtypes.of(dtype).size end
  for k, t in ipairs(desc.types) do
    local struct = (t == name or t == "struct " .. name) and desc.params[k].struct
    if struct then return struct.size end
  end
end

-- The texts of a declaration in C++, as an instance.
local PLAIN = { number = 0, serial = 0, functions = "", dtypes = {}, hiddens = {}, texts = {},
  options = function(own) return own end }

-- The instance of the texts for the parameters of a kernel (instances.lua).
local function instance_of(s, given, list)
  if not s.bodies then return PLAIN end
  local _, dtype = accumulator(s, given.types)
  local desc = { types = given.types, params = {}, accumulator = dtype }
  for k in ipairs(s.list) do
    local q = list[k]
    desc.params[k] = { kind = q.class == "raw" and "raw" or "array", ndim = q.rank,
      contiguous = q.contiguous, struct = given.params[k] and given.params[k].struct }
  end
  return s.bodies:find(desc)
end

local function new_variant(s, desc, c, exclusive, segments)
  local acc, dtype = accumulator(s, desc.types)
  local p, texts = c.plan, c.instance.texts
  local spec = { name = s.name, prelude = prelude_of(s, desc, c.instance, c.list), acc = acc,
    macros = s.macros, map = texts.map or s.map, scan = texts.scan or s.scan,
    post = texts.post or s.post, identity = texts.identity or s.identity, exclusive = exclusive,
    segments = segments ~= nil, params = c.list }
  for key, value in pairs(p) do spec[key] = value end
  local options = { source = generator.text(p.kind, spec), name = s.name }
  for key, value in pairs(c.instance.options(s.options)) do options[key] = value end
  local v = variants.add(s, { types = desc.types, params = desc.params, mode = p.kind,
    vector = p.vector, exclusive = exclusive,
    segments = segments and segments.dtype }, require("luacuda.kernel.kernel").own(options))
  lookup.resolve(core.kernel_state(v.kernel).module, s.name, c.job.device)     -- compiles it
  v.bytes = dtype and dtypes.of(dtype).size
  -- the last parameter ends with as many bytes as the accumulator has
  if not v.bytes then
    local signature = v.kernel.signature
    v.bytes = signature[#signature].size - 8 * p.plan_size
  end
  v.padding = ("\0"):rep((v.bytes + 7) // 8 * 8)
  return v
end

-- The variant for a call, made when it is first needed. c: job, list, instance, plan.
local function find(s, desc, c, exclusive, segments)
  local key = ("%s;%s;%s;%s;%s;%d"):format(table.concat(desc.types, " "), desc.serial,
    plan.key(c.plan, c.list), exclusive, segments and segments.dtype, c.instance.serial)
  s.by_key[key] = s.by_key[key] or new_variant(s, desc, c, exclusive, segments)
  return s.by_key[key]
end

return { described = described, accumulator_bytes = accumulator_bytes, instance_of = instance_of,
  find = find }
