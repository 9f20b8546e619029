-- keep.lua: the option keep.

local core = require "luacuda.core"

-- keep.files(spec, made) writes a source, its code and the compiler's log into the folder of the
-- option. The files are named after the source, so that equal ones meet.
local function keep_files(spec, made)
  local stem = spec.keep .. "/" .. (spec.path and spec.path:match "([^/]+)%.%w+$"
    or spec.origin.token:match "(%x+)%.cu$")
  for ending, bytes in pairs { cu = spec.text, [made.kind] = made.code, log = made.log } do
    local ok, why = core.file_replace(stem .. "." .. ending, bytes)
    if not ok then
      error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", message = "keep: " .. why }, 0)
    end
  end
end

return { files = keep_files }
