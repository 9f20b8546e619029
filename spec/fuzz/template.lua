-- Templates: any text is a template or an error, and so is the result of a template.
local helper = require "spec.support.fuzz"
local cuda = require "luacuda"

-- A template's own Lua code may do anything, and may run forever.
local OWN = "too many instructions"
local BOTTOMLESS = { "rep", "find", "match", "gsub", "format", "concat", "unpack", "move" }

local M = { seeds = {
  "__global__ void k(float *x) { x[threadIdx.x] = $(value); }\n",
  "@ for i = 1, N do\n  x[$(i)] += $(value) + $$(name);\n@ end\n@@ kept\n",
  "#define F(x) \\\n  $(name .. '_' .. ')')(x)\n@ local t = { 1, 2.5, 'a' }\n$(t) $(-1) $(1 << "
    .. "40) $(true)\n",
  "@ if N > 1 then\nint a;\n@ else\nint b;\n@ end\r\nint c;",
} }

local values = { N = 3, value = 1.5, name = "s", list = { 1, { 2, 3 } } }

local function is_bottomless(text)
  for _, word in ipairs(BOTTOMLESS) do
    if text:find(word, 1, true) then return true end
  end
end

function M.read(text)
  local template = helper.attempt(nil, cuda.template, text)
  if not template or is_bottomless(text) then return end
  local source = helper.attempt(OWN, template, values)
  if not source then return end
  local out = tostring(source)
  assert(#source == #out)
  if text:find("[@$\r]") then return end
  local body = out:gsub('^#line 1 "[^"]*"\n', "", 1)
  assert(body == (text:gsub("\n$", "") .. "\n"), "a text without marks was changed")
end

return M
