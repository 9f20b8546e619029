-- NumPy as an oracle: the values of Python expressions, computed from arrays of LuaCUDA in one run
-- of Python.
local compare = require "spec.support.compare"
local python = require "spec.support.evaluate"
local cuda = require "luacuda"

local M = { found = python.available() }

local HEAD = [[
np.seterr(all='ignore')
def note(k, fn):
    try: globals()['r_%d' % k] = np.asarray(fn())
    except (ValueError, TypeError, IndexError): pass
]]

-- evaluate(arrays, expressions): the values as arrays of the current device, false where Python
-- raised an error. `arrays`: name -> Array.
local function evaluate(arrays, expressions)
  local lines = { HEAD }
  for k, text in ipairs(expressions) do
    lines[#lines + 1] = ("note(%d, lambda: %s)"):format(k, text)
  end
  local made, values = python.run(arrays, table.concat(lines, "\n")), {}
  for k in ipairs(expressions) do values[k] = made[tostring(k)] or false end
  return values
end

local function dtype_of(value, want)
  return cuda.type(value) == "array" and value.dtype or want
end

-- Compares one value, an Array or a Lua value, with NumPy's.
local function check_one(text, want, got, options)
  if dtype_of(got, want.dtype) ~= want.dtype then
    error(("%s: dtype %s, expected %s"):format(text, got.dtype, want.dtype), 0)
  end
  local shape = cuda.type(got) == "array" and table.concat(got.shape, " ") or ""
  if shape ~= table.concat(want.shape, " ") then
    error(("%s: shape {%s}, expected {%s}"):format(text, shape, table.concat(want.shape, " ")), 0)
  end
  if cuda.type(got) == "array" then got = got:totable() end
  local ok, why = pcall(compare.assert_close, { want:totable() }, { got },
    { dtype = want.dtype, rtol = options.rtol, atol = options.atol })
  if not ok then error(text .. ": " .. tostring(why), 0) end
end

-- check(arrays, cases): each case is { expression, fn, rtol =, atol =, raises = } where fn() must
-- give the expression's value and dtype; with `raises` both must raise an error.
function M.check(arrays, cases)
  local expressions = {}
  for k, case in ipairs(cases) do expressions[k] = case[1] end
  local values = evaluate(arrays, expressions)
  for k, case in ipairs(cases) do
    local ok, got = pcall(case[2])
    if (not values[k]) ~= (case.raises or false) then
      error(("%s: NumPy %s"):format(case[1], values[k] and "gave a value" or "raised an error"), 0)
    end
    if case.raises then
      if ok then error(case[1] .. ": expected an error", 0) end
    elseif not ok then error(("%s: %s"):format(case[1], tostring(got)), 0)
    else check_one(case[1], values[k], got, case) end
  end
end

return M
