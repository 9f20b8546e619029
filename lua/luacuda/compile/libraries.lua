-- libraries.lua: device libraries that a link adds, found by name or path.

local core = require "luacuda.core"
local toolchain = require "luacuda.compile.toolchain"

local ROOTS = { "LUACUDA_CUDA_HOME", "CUDA_HOME", "CUDA_PATH" }
local FOLDERS = { "lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
  "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu",
  "nvidia/cu13/lib", "nvidia/cuda_runtime/lib", "cu13/lib", "cuda_runtime/lib" }

-- The folders that may hold a library, best first.
local function folders()
  local list = {}
  local function add_root(root)
    for _, folder in ipairs(FOLDERS) do list[#list + 1] = root .. "/" .. folder end
  end
  for _, name in ipairs(ROOTS) do
    if core.getenv(name) then add_root(core.getenv(name)) end
  end
  local ok, tools = pcall(toolchain.known)
  if ok then
    list[#list + 1] = tools.path:match "^(.*)/[^/]*$"
    if tools.include_dir ~= "" then
      add_root(tools.include_dir .. "/..")
      add_root(tools.include_dir .. "/../../..")
    end
  end
  add_root "/usr/local/cuda"
  for root in (core.getenv "LUACUDA_SITE_PACKAGES" or ""):gmatch "[^:]+" do add_root(root) end
  return list
end

local function not_found(message)
  error(core.error{ kind = "compile", name = "LUACUDA_ERROR_NOT_FOUND", message = message }, 0)
end

-- libraries.find(name) -> the path of "cudadevrt" or of a file, and its size and time as text
local function find(name)
  local is_path = name:find("/", 1, true) or name:find "%.%l+$"
  local size, modified = core.file_stat(name)
  if is_path and size then return name, ("%d %.9f"):format(size, modified) end
  if is_path then not_found(("the library '%s' does not exist"):format(name)) end
  local file = "lib" .. name .. ".a"
  for _, folder in ipairs(folders()) do
    local path = folder .. "/" .. file
    size, modified = core.file_stat(path)
    if size then return path, ("%d %.9f"):format(size, modified) end
  end
  not_found(("the library '%s' was not found (no %s): set LUACUDA_CUDA_HOME to a CUDA toolkit, or "
    .. "give a path"):format(name, file))
end

return { find = find }
