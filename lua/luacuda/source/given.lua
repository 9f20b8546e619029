-- given.lua: recognizes what a user gives as source or code, and reads files.

local core = require "luacuda.core"

local M = {}

-- Machine code: ELF, or a fat binary (magic 0xBA55ED50).
function M.is_cubin(text)
  return text:sub(1, 4) == "\127ELF" or text:sub(1, 4) == "\80\237\85\186"
end

function M.is_ptx(text)
  if text:find "^%s*%.version%s+%d" then return true end
  return text:find "^[%s]*//[^\n]*\n[%s/]*[^\n]*" and text:find "\n%s*%.version%s+%d"
    and text:find "\n%s*%.target%s+sm_" ~= nil
end

-- Raises where code cannot be complete; `label` names it.
function M.check_code(what, label, code)
  local why = core.image_fault(code)
  if why then require("luacuda.base.arguments").fail(what, "%s: %s", label, why) end
end

-- Is a text the name of a file rather than a program: one word with the ending of a code file?
function M.is_file_name(text) return text:find "^[^%s%c;{}()]+%.%l+$" ~= nil end

-- The metatables of templates and of the sources that they make (template.lua).
M.Template = { __name = "luacuda.Template" }
M.Source = { __name = "luacuda.Source" }

function M.is_template(value) return getmetatable(value) == M.Template end
function M.is_source(value) return getmetatable(value) == M.Source end

-- The bytes of a file.
function M.read_file(what, path)
  local bytes, why = core.file_read(path)
  if bytes then return bytes end
  error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", call = what,
    message = ("%s: %s"):format(what, why) }, 0)
end

return M
