-- words.lua: C++ types of so many bytes, for kernels that move elements without computing.

-- Words of 16 bytes are read and written with one access.
local WORDS = { "unsigned char", "unsigned short", [4] = "unsigned int", [8] = "unsigned long long",
  [16] = "ulonglong2" }

-- Elements: structs of 16 bytes may be aligned to 8 bytes only.
local ELEMENTS = { WORDS[1], WORDS[2], [4] = WORDS[4], [8] = WORDS[8],
  [16] = "struct { unsigned long long v[2]; }" }

-- The bytes of the widest word that divides all of these numbers, given as their bitwise or.
local function widest(bits)
  local size = bits & -bits
  return (size == 0 or size > 16) and 16 or size
end

return { WORDS = WORDS, ELEMENTS = ELEMENTS, widest = widest }
