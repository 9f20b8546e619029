-- cubin.lua: the registers per thread of kernels, read from machine code (ELF). The section
-- .nv.info has a record for each kernel: 04 2f, size 8, symbol, registers.

local RECORD = "\4\47\8\0"

-- Sections: a function (i) -> { name, offset, size }, and their number.
local function sections_of(bytes)
  local table_at = string.unpack("<I8", bytes, 0x28 + 1)
  local entry, count, names = string.unpack("<I2I2I2", bytes, 0x3A + 1)
  local function section(i)
    local name, _, _, _, offset, size = string.unpack("<I4I4I8I8I8I8", bytes,
      table_at + i * entry + 1)
    return { name = name, offset = offset, size = size }
  end
  local texts = section(names).offset
  return function(i)
    local found = section(i)
    found.name = string.unpack("z", bytes, texts + found.name + 1)
    return found
  end, count
end

local function by_name(bytes)
  local section, count = sections_of(bytes)
  local found = {}
  for i = 0, count - 1 do
    local one = section(i)
    found[one.name] = one
  end
  return found
end

local SYMBOL = 24 -- bytes of a row of .symtab

local function symbol_name(bytes, sections, index)
  local name = string.unpack("<I4", bytes, sections[".symtab"].offset + index * SYMBOL + 1)
  return (string.unpack("z", bytes, sections[".strtab"].offset + name + 1))
end

-- cubin.registers(bytes) -> lowered name of each function -> registers
local function registers(bytes)
  local sections, found = by_name(bytes), {}
  local info = sections[".nv.info"]
  local at, stop = info and info.offset + 1, info and info.offset + info.size
  while at and at < stop do
    local format, size = bytes:byte(at), string.unpack("<I2", bytes, at + 2)
    if bytes:sub(at, at + 3) == RECORD then
      local index, count = string.unpack("<I4I4", bytes, at + 4)
      found[symbol_name(bytes, sections, index)] = count
    end
    at = at + 4 + (format == 4 and size or 0)
  end
  return found
end

return { registers = registers }
