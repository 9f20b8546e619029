-- join_source.lua: the CUDA text of several arrays side by side in one.

local WORDS = require("luacuda.array.words").WORDS

local M = {}

M.THREADS = 256
M.SLOW_ON = { cpu = true }     -- kinds of devices whose copies are faster
M.NARROW = 1 << 30             -- words up to which the kernel counts with 32 bits

-- The result is rows of `width` words; row r takes words r * w .. of each part, whose w words
-- start at that part's end of the one before. A thread writes VECTOR words with one access.
local JOIN = [==[
#define VECTOR (ACCESS / (int)sizeof(Word))
struct alignas(ACCESS) Vector { Word w[VECTOR]; };
__device__ __forceinline__ Word take(%s, Int row, Int at, Int width%s) {
%s}
__global__ void __launch_bounds__(THREADS)
luacuda_join(%s, void *out, Int count, Int width_%s) {
  const Int i = ((Int)blockIdx.x * THREADS + threadIdx.x) * VECTOR, width = WIDTH;
  Int row = i / width, at = i - row * width;
  Vector v;
#pragma unroll
  for (int k = 0; k < VECTOR; k++) {
    if (i + k < count) v.w[k] = take(%s, row, at, width%s);
    if (++at == width) at = 0, row++;
  }
  if (i + VECTOR <= count) *(Vector *)((Word *)out + i) = v;
  else for (int k = 0; i + k < count; k++) ((Word *)out)[i + k] = v.w[k];
}
]==]

local function listed(n, text)
  local list = {}
  for j = 1, n do list[j] = text:gsub("#", j) end
  return table.concat(list)
end

-- The word of a row that the parts have at `at`: of part j between the ends of j - 1 and j.
local function choice(parts, unit)
  local function start(j) return j == 1 and "0" or unit and tostring(j - 1) or "e" .. j - 1 end
  local lines = {}
  for j = 1, parts do
    local last = j == parts
    lines[j] = ("  %sreturn ((const Word *)p%d)[row * (%s - %s) + at - %s];\n"):format(
      last and "" or ("if (at < %s) "):format(start(j + 1)), j, last and "width" or start(j + 1),
      start(j), start(j))
  end
  return table.concat(lines)
end

-- `size`: of a word; `access`: bytes that a thread writes at once; `unit`: each part has one word
-- in a row; `wide`: more than 2^30 words.
function M.join(size, access, parts, unit, wide)
  local pointers = listed(parts, ", const void *p#"):sub(3)
  local names = listed(parts, ", p#"):sub(3)
  local ends = unit and "" or listed(parts - 1, ", Int e#")
  return ("typedef %s Word;\ntypedef %s Int;\n#define ACCESS %d\n#define THREADS %d\n"
    .. "#define WIDTH %s\n"):format(WORDS[size], wide and "long long" or "int", access, M.THREADS,
    unit and parts or "width_")
    .. JOIN:format(pointers, ends, choice(parts, unit), pointers, ends, names,
      unit and "" or listed(parts - 1, ", e#"))
end

return M
