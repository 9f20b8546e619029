-- sort_codes.lua: the CUDA text of codes: unsigned integers in the order of the values of a dtype.

local WORDS = require("luacuda.array.words").WORDS

-- NANS: how many patterns of one sign, the last ones, are NaN.
local CODES = [==[
#define SIGN ((Code)1 << (BITS - 1))
#define MOST ((Code)-1 >> (8 * sizeof(Code) - BITS))

// One code per bit pattern. Floats: -infinity is 0, NaNs of both signs lie above infinity, -0.0 is
// next below 0.0.
__device__ __forceinline__ Code code_of(Stored s) {
#if IS_FLOAT
  Code b = s;
  return ((b & SIGN ? ~b : b | SIGN) - NANS) & MOST;
#elif IS_INT
  return (Code)s ^ SIGN;
#elif IS_BOOL
  return s != 0;
#else
  return s;
#endif
}
__device__ __forceinline__ Stored stored_of(Code c) {
#if IS_FLOAT
  Code b = (c + NANS) & MOST;
  return (Stored)(b & SIGN ? b ^ SIGN : ~b);
#elif IS_INT
  return (Stored)(c ^ SIGN);
#else
  return (Stored)c;
#endif
}
// One code per value: zeros are one, NaNs are one.
__device__ __forceinline__ Code rank_of(Stored s) {
#if IS_FLOAT
  Code size = s & (MOST >> 1), infinity = (MOST >> 1) - NANS;
  return size > infinity ? MOST : code_of(size ? s : (Stored)0);
#else
  return code_of(s);
#endif
}
]==]

local function nans(row)
  if row.kind ~= "float" then return "0" end
  return ("(Code)%dull"):format(row.finite and 1 or (1 << row.mantissa) - 1)
end

-- codes.text(row) -> the text for the codes of a dtype, given as its row. Stored is the unsigned
-- type of its bits, Code that of its codes.
local function text(row)
  return table.concat({
    "#define BITS " .. row.size * 8,
    "#define IS_FLOAT " .. (row.kind == "float" and 1 or 0),
    "#define IS_INT " .. (row.kind == "int" and 1 or 0),
    "#define IS_BOOL " .. (row.kind == "bool" and 1 or 0),
    "#define NANS " .. nans(row),
    ("typedef %s Stored;"):format(WORDS[row.size]),
    ("typedef %s Code;"):format(row.size == 8 and WORDS[8] or WORDS[4]),
    CODES,
  }, "\n")
end

return { text = text }
