-- file.lua: files of arrays, opened for reading and replaced as a whole.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local operands = require "luacuda.base.operands"
if not io then core.misuse "files of arrays need Lua's io library" end

-- Raises an error object for a file that cannot be opened, read or written.
local function io_error(fn, path, why)
  if why:sub(1, #path + 2) == path .. ": " then why = why:sub(#path + 3) end
  error(core.error{ kind = "runtime", name = "LUACUDA_ERROR_IO", call = fn,
    message = ("%s: '%s': %s"):format(fn, path, why) }, 0)
end

-- `path` is argument `arg` (default 1).
local function check_path(fn, path, arg)
  local label = ("argument %d 'path'"):format(arg or 1)
  if type(path) ~= "string" then
    arguments.fail(fn, "%s: expected a string, got %s", label, core.type(path) or type(path))
  end
  arguments.whole_text(fn, label, path)
end

-- A copy of the options, which the caller may extend.
local function settings(fn, options, names)
  if options == nil then return {} end
  arguments.check_table(fn, options, names)
  if options.shape ~= nil or options.dtype ~= nil then
    arguments.fail(fn, "the file determines the shape and the dtype")
  end
  arguments.check_names(fn, options, names)
  local copy = {}
  for key, value in pairs(options) do copy[key] = value end
  return copy
end

-- open(fn, path) -> file, bytes; 0 bytes for pipes and the like
local function open(fn, path)
  local file, why = io.open(path, "rb")
  if not file then io_error(fn, path, why) end
  local size = file:seek "end"
  file:seek "set"
  return file, size and size < math.maxinteger and size or 0 -- folders report 2^63 - 1
end

-- take(fn, path, file, n) -> n bytes, which the file should have
local function take(fn, path, file, n)
  local bytes, why = file:read(n)
  if not bytes or #bytes < n then io_error(fn, path, why or "the file became shorter") end
  return bytes
end

-- A text as a source for npy_format.read.
local function text_source(bytes)
  local at = 1
  return { left = #bytes, take = function(n)
    at = at + n
    return bytes:sub(at - n, at - 1)
  end }
end

-- The whole of an open file as a source.
local function source(fn, path, file, size)
  if size > 0 then return { left = size, take = function(n) return take(fn, path, file, n) end } end
  local bytes, why = file:read "a"
  if not bytes then io_error(fn, path, why) end
  return text_source(bytes)
end

-- whole(fn, path) -> the bytes of a file or a pipe
local function whole(fn, path)
  local file <close>, size = open(fn, path)
  local from = source(fn, path, file, size)
  return from.take(from.left)
end

local function put(fn, path, file, bytes)
  local ok, why = file:write(bytes)
  if not ok then io_error(fn, path, why) end
end

-- A new file beside `path`, or nil where `path` cannot be replaced: pipes, devices, links, and
-- folders that allow no new files.
local function open_beside(path)
  if not core.file_replaceable(path) then return nil end
  local name = ("%s.%s.%x.tmp"):format(path, tostring({}):match "0x(%x+)" or "new",
    os.time() ~ math.floor(os.clock() * 1e6))
  return io.open(name, "wb"), name
end

-- replace(fn, path, write): write(file) writes the contents. Readers see the old file or the whole
-- new one.
local function replace(fn, path, write)
  local file, beside = open_beside(path)
  local why
  if not file then
    file, why = io.open(path, "wb")
    beside = nil
    if not file then io_error(fn, path, why) end
  end
  local ok, problem = pcall(write, file)
  local closed
  closed, why = file:close()
  if ok and closed and beside then closed, why = os.rename(beside, path) end
  if ok and closed then return end
  if beside then os.remove(beside) end
  if not ok then error(problem, 0) end
  io_error(fn, path, why)
end

-- Raises unless option `out` is nil or can take what the file has.
local function check_out(where, out, dtype, shape)
  if out == nil then return end
  operands.result(where, { out = out }, shape, dtype, out)
end

return {
  check_out = check_out, check_path = check_path, settings = settings, open = open, take = take,
  source = source, whole = whole, put = put, replace = replace,
  io_error = io_error,
}
