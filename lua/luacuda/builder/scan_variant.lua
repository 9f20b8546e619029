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

-- The text before everything: declarations of the dtypes, type placeholders, the user's preamble.
local function prelude_of(s, types, instance, list)
  local names, raw = { table.unpack(s.dtypes) }, false
  table.move(instance.dtypes, 1, #instance.dtypes, #names + 1, names)
  for k in ipairs(s.list) do
    if dtypes.of(types[k]) then names[#names + 1] = types[k] end
  end
  for _, q in ipairs(list) do
    raw = raw or q.class == "raw"
    if q.ctype == "bool" then names[#names + 1] = "bool" end
  end
  local function typedefs(of_dtypes)
    return shared.placeholder_typedefs({ params = s.list }, { types = types }, of_dtypes)
  end
  return table.concat { prelude.text(names), raw and shared.RAW or "", instance.functions,
    typedefs(true), shared.preamble(s), typedefs(false) }
end

-- The C++ type of the accumulator, and its dtype where it is one. 16-bit floats are accumulated in
-- float.
local function accumulator(s, types)
  local dtype = s.scan_type
  for k, p in ipairs(s.list) do
    if p.placeholder == s.scan_type and dtype then dtype = types[k] end
  end
  if not dtype then
    dtype = types[s.nin + 1]
    if dtype == "float16" or dtype == "bfloat16" then dtype = "float32" end
  end
  local row = dtypes.of(dtype)
  if row then return prelude.cname(row.name), row.name end
  return dtype, nil
end

-- The texts of a declaration in C++, as an instance.
local PLAIN = { number = 0, serial = 0, functions = "", dtypes = {}, hiddens = {}, texts = {},
  options = function(own) return own end }

-- The instance of the texts for the parameters of a kernel (instances.lua).
local function instance_of(s, types, list)
  if not s.bodies then return PLAIN end
  local _, dtype = accumulator(s, types)
  local desc = { types = types, params = {}, accumulator = dtype }
  for k in ipairs(s.list) do
    local q = list[k]
    desc.params[k] = { kind = q.class == "raw" and "raw" or "array", ndim = q.rank,
      contiguous = q.contiguous, struct = q.struct }
  end
  return s.bodies:find(desc)
end

local function new_variant(s, types, c, exclusive, segments)
  local acc, dtype = accumulator(s, types)
  local p, texts = c.plan, c.instance.texts
  local spec = { name = s.name, prelude = prelude_of(s, types, c.instance, c.list), acc = acc,
    macros = s.macros, map = texts.map or s.map, scan = texts.scan or s.scan,
    post = texts.post or s.post, identity = texts.identity or s.identity, exclusive = exclusive,
    segments = segments ~= nil, params = c.list }
  for key, value in pairs(p) do spec[key] = value end
  local options = { source = generator.text(p.kind, spec), name = s.name }
  for key, value in pairs(c.instance.options(s.options)) do options[key] = value end
  local v = variants.add(s, { types = types, mode = p.kind, vector = p.vector,
    exclusive = exclusive,
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
local function find(s, types, c, exclusive, segments)
  local key = ("%s;%s;%s;%s;%d"):format(table.concat(types, " "), plan.key(c.plan, c.list),
    exclusive, segments and segments.dtype, c.instance.serial)
  s.by_key[key] = s.by_key[key] or new_variant(s, types, c, exclusive, segments)
  return s.by_key[key]
end

return { accumulator = accumulator, instance_of = instance_of, find = find }
