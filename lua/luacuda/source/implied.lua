-- implied.lua: names that programs for nvcc use without including a header, because nvcc and the
-- host's C++ headers already include it. NVRTC needs the header.

local M = {}

-- Header, and patterns of its names. Those in std and thrust begin with "std::" and "thrust::".
local ROWS = {
  { "cstdint", "^u?int8_t$", "^u?int16_t$", "^u?int32_t$", "^u?int64_t$", "^u?int_fast%d+_t$",
    "^u?int_least%d+_t$", "^u?intptr_t$", "^u?intmax_t$", "^U?INT%d+_M[AI][XN]$", "^U?INT%d+_C$",
    "^U?INT_LEAST%d+_M[AI][XN]$", "^U?INT_FAST%d+_M[AI][XN]$", "^U?INTPTR_M[AI][XN]$",
    "^U?INTMAX_M[AI][XN]$", "^U?INTMAX_C$", "^SIZE_MAX$", "^PTRDIFF_M[AI][XN]$",
    "^std::u?int[%w_]*_t$" },
  { "climits", "^CHAR_BIT$", "^[SU]?CHAR_M[AI][XN]$", "^U?SHRT_M[AI][XN]$", "^U?INT_M[AI][XN]$",
    "^U?LONG_M[AI][XN]$", "^U?LLONG_M[AI][XN]$" },
  { "cfloat", "^FLT_%u[%u%d_]*$", "^DBL_%u[%u%d_]*$" },
  { "math.h", "^INFINITY$", "^NAN$", "^HUGE_VAL$", "^M_%u[%u%d_]*$" },
  { "cuda_fp16.h", "^__half2?$", "^half2$" },
  { "cuda_bf16.h", "^__nv_bfloat16", "^nv_bfloat16" },
  { "cuda_fp8.h", "^__nv_fp8" },
  { "limits", "^std::numeric_limits$" },
  { "utility", "^std::pair$", "^std::make_pair$", "^std::move$", "^std::forward$", "^std::swap$",
    "^std::exchange$", "^std::declval$", "^std::index_sequence", "^std::integer_sequence$",
    "^std::make_i[%a]+_sequence$" },
  { "algorithm", "^std::min$", "^std::max$", "^std::clamp$" },
  { "type_traits", "^std::is_", "^std::enable_if", "^std::conditional", "^std::decay",
    "^std::remove_", "^std::add_", "^std::make_u?n?signed", "^std::integral_constant$",
    "^std::true_type$", "^std::false_type$", "^std::common_type", "^std::underlying_type",
    "^std::void_t$" },
  { "cstddef", "^std::size_t$", "^std::ptrdiff_t$", "^std::nullptr_t$", "^std::byte$" },
  { "functional", "^std::plus$", "^std::minus$", "^std::multiplies$", "^std::less", "^std::greater",
    "^std::equal_to$" },
  { "array", "^std::array$" },
  { "tuple", "^std::tuple", "^std::make_tuple$", "^std::get$", "^std::tie$" },
  { "cmath", "^std::a?sqrt$", "^std::f?abs$", "^std::pow$", "^std::exp2?$", "^std::log[12]?[0p]?$",
    "^std::a?sinh?$", "^std::a?cosh?$", "^std::a?tanh?2?$", "^std::floor$", "^std::ceil$",
    "^std::round$", "^std::trunc$", "^std::fma$", "^std::fmod$", "^std::fm[ai][xn]$",
    "^std::isnan$", "^std::isinf$", "^std::isfinite$" },
  { "thrust/pair.h", "^thrust::pair$", "^thrust::make_pair$" },
  { "thrust/tuple.h", "^thrust::tuple", "^thrust::make_tuple$", "^thrust::get$", "^thrust::tie$" },
  { "thrust/functional.h", "^thrust::plus$", "^thrust::minus$", "^thrust::multiplies$",
    "^thrust::less", "^thrust::greater", "^thrust::maximum$", "^thrust::minimum$" },
  { "thrust/complex.h", "^thrust::complex$" },
}

-- implied.header(word) -> the header that declares a name, or nil. A name in std or thrust begins
-- with "std::" or "thrust::".
function M.header(word)
  for _, row in ipairs(ROWS) do
    for i = 2, #row do
      if word:find(row[i]) then return row[1] end
    end
  end
end

-- Names for types that nvcc's headers of the host have, in C's words.
M.TYPES = { uint = "unsigned int", ushort = "unsigned short", ulong = "unsigned long",
  u_char = "unsigned char", u_short = "unsigned short", u_int = "unsigned int",
  u_long = "unsigned long", ssize_t = "long", quad_t = "long", u_quad_t = "unsigned long",
  u_int8_t = "unsigned char", u_int16_t = "unsigned short", u_int32_t = "unsigned int",
  u_int64_t = "unsigned long" }

return M
