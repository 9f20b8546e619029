-- linking.lua: descriptions (options.lua) of modules that are linked.

local arguments = require "luacuda.base.arguments"
local naming = require "luacuda.source.naming"
local origins = require "luacuda.source.origins"
local parts = require "luacuda.source.parts"

-- linking.read(what, spec, options, take_text) reads what is linked: { sources =, objects =,
-- libraries = }. source, path or binary may be given too: take_text reads them, they come first.
local function read(what, spec, options, take_text)
  local sources = parts.sources(what, options.sources)
  local objects = parts.objects(what, options.binaries)
  local libraries = parts.libraries(what, options.libraries)
  if options.source ~= nil or options.path ~= nil or options.binary ~= nil then
    take_text(what, spec, options)
  end
  if spec.text then
    table.insert(sources, 1, { text = spec.text, origin = spec.origin, callers = spec.callers,
      path = spec.path })
  elseif spec.binary then
    table.insert(objects, 1, parts.object(what, "option 'binary'", spec.binary, "binary"))
  end
  if #sources + #objects == 0 then
    arguments.fail(what, "nothing to link: give sources or binaries")
  end
  return { sources = sources, objects = objects, libraries = libraries }
end

-- The description of one source, with the settings of the whole.
local function unit_of(spec, source)
  local unit = {}
  for key, value in pairs(spec) do unit[key] = value end
  unit.text, unit.path, unit.binary, unit.binary_kind = source.text, source.path, nil, nil
  unit.origin, unit.callers = source.origin, source.callers
  if not unit.origin then
    unit.origin, unit.callers = origins.register(source.text, "source", source.path)
  end
  unit.rdc, unit.part, unit.instances = true, true, {}
  return unit
end

-- Each name goes to the sources that mention it; a name that only a header can bring goes to all.
local function give_instances(spec, units)
  for _, name in ipairs(spec.instances) do
    local mentioned = naming.is_mentioned(spec.text or "", name)
    for _, unit in ipairs(units) do
      if not mentioned or naming.is_mentioned(unit.text, name) then
        unit.instances[#unit.instances + 1] = name
      end
    end
  end
end

-- linking.take(spec, parts) makes the description one of these parts.
local function take(spec, given_parts)
  local units, texts = {}, {}
  for i, source in ipairs(given_parts.sources) do
    units[i] = unit_of(spec, source)
    texts[i] = source.text
  end
  spec.text, spec.rdc = #texts > 0 and table.concat(texts, "\n") or nil, true
  spec.binary, spec.binary_kind, spec.path, spec.origin, spec.callers = nil, nil, nil, nil, nil
  for _, object in ipairs(given_parts.objects) do
    spec.lto = spec.lto or object.kind_name == "ltoir"
  end
  give_instances(spec, units)
  spec.link = { units = units, objects = given_parts.objects, libraries = given_parts.libraries }
end

return { read = read, take = take }
