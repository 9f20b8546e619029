-- The folder of NVIDIA's cuda.h and cudaTypedefs.h, or nil.
local function folders(pattern)
  local pipe = assert(io.popen(("ls -d %s 2>/dev/null"):format(pattern)))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function has(folder, name)
  local file = io.open(folder .. "/" .. name)
  return file ~= nil and file:close()
end

return function()
  local places = {}
  for _, name in ipairs { "LUACUDA_CUDA_HOME", "CUDA_HOME", "CUDA_PATH" } do
    if os.getenv(name) then places[#places + 1] = os.getenv(name) .. "/include" end
  end
  places[#places + 1] = "/usr/local/cuda/include"
  for site in (os.getenv "LUACUDA_SITE_PACKAGES" or ""):gmatch "[^:]+" do
    for _, folder in ipairs(folders("'" .. site .. "'/nvidia/*/include")) do
      places[#places + 1] = folder
    end
  end
  for _, folder in ipairs(places) do
    if has(folder, "cuda.h") and has(folder, "cudaTypedefs.h") then return folder end
  end
end
