-- scan_parts.lua: what the two kernels of scans share: values that pass between threads and between
-- tiles, look-back, and the functions made of the user's expressions.

local shared = require "luacuda.builder.elementwise_parts"
local look_back = require "luacuda.builder.scan_look_back"
local prelude = require "luacuda.builder.prelude"

local THREADS = 256

-- What a tile publishes: a word of 64 bits per 4 bytes of the value, its status in the upper half,
-- the bytes in the lower. Words of equal status belong together, because a value is published at
-- most once with each status; no fence is needed.
local COMMON = [[
typedef unsigned long long _lcu_word;
enum { _LCU_WORDS = (sizeof(_lcu_acc) + 3) / 4, _LCU_AGGREGATE = 1, _LCU_PREFIX = 2,
    _LCU_HEADER = 2 };
template <class T, int N> struct _lcu_row { T v[N]; };
struct _lcu_plan { long long v[$PLAN]; unsigned char acc[sizeof(_lcu_acc)]; };

_LCU_INLINE void _lcu_split(unsigned *w, const _lcu_acc &v) {
  w[_LCU_WORDS - 1] = 0;
  memcpy(w, &v, sizeof v);
}
_LCU_INLINE _lcu_acc _lcu_whole(const unsigned *w) {
  _lcu_acc v;
  memcpy(&v, w, sizeof v);
  return v;
}
_LCU_INLINE _lcu_acc _lcu_shfl(const _lcu_acc &v, int lane) {
  unsigned w[_LCU_WORDS];
  _lcu_split(w, v);
  #pragma unroll
  for (int k = 0; k < _LCU_WORDS; k++) w[k] = __shfl_sync(~0u, w[k], lane);
  return _lcu_whole(w);
}
_LCU_INLINE _lcu_acc _lcu_shfl_up(const _lcu_acc &v, int d) {
  unsigned w[_LCU_WORDS];
  _lcu_split(w, v);
  #pragma unroll
  for (int k = 0; k < _LCU_WORDS; k++) w[k] = __shfl_up_sync(~0u, w[k], d);
  return _lcu_whole(w);
}
_LCU_INLINE void _lcu_publish(_lcu_word *d, unsigned status, const _lcu_acc &v) {
  unsigned w[_LCU_WORDS];
  _lcu_split(w, v);
  #pragma unroll
  for (int k = 0; k < _LCU_WORDS; k++) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(d + k),
        "l"((_lcu_word)status << 32 | w[k]) : "memory");
  }
}
// The status of what a tile has published, and the value; 0 when it is not there, or being
// replaced.
_LCU_INLINE unsigned _lcu_read(const _lcu_word *d, _lcu_acc &v) {
  unsigned w[_LCU_WORDS], status = 0;
  bool same = true;
  #pragma unroll
  for (int k = 0; k < _LCU_WORDS; k++) {
    _lcu_word word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(d + k) : "memory");
    w[k] = (unsigned)word;
    if (k == 0) status = (unsigned)(word >> 32);
    else same = same && status == (unsigned)(word >> 32);
  }
  v = _lcu_whole(w);
  return same ? status : 0;
}
]]

-- Text from parts ---------------------------------------------------------------------------------

-- Replaces $WORD by values[WORD], which must exist.
local function fill(text, values)
  return (text:gsub("%$(%u[%u_]*%u)", function(word)
    return values[word] or error("no value for $" .. word, 2)
  end))
end

local function is_array(p) return p.lay ~= nil end
local function is_read(p) return p.lay ~= nil and not p.output end
local function is_segments(p) return p.segments end
local function any() return true end

-- The texts fn(parameter) of all parameters of `list` that pass `test`, joined.
local function each(list, test, fn, between)
  local texts = {}
  for _, p in ipairs(list) do
    if test(p) then texts[#texts + 1] = fn(p) end
  end
  return table.concat(texts, between or " ")
end

-- The parameters as map and post see them: inputs and outputs (elements), raw arrays.
local function split(list)
  local inputs, outputs, raw = {}, {}, {}
  for _, p in ipairs(list) do
    if p.class == "raw" then raw[#raw + 1] = p
    elseif p.output then outputs[#outputs + 1] = p
    elseif not p.segments then inputs[#inputs + 1] = p end
  end
  return inputs, outputs, raw
end

local function qualified(p) return (p.output and "" or "const ") .. p.ctype end

-- The type that the kernel loads elements through.
local function stored(p) return prelude.stored(p.ctype) end
local function raw_element(p) return (p.output and "" or "const ") .. stored(p) end

local function raw_type(p)
  return ("_lcu_raw<%s, %d, %s>"):format(raw_element(p), p.rank, p.contiguous)
end

local function declared(list)
  return each(list, any, function(p)
    if p.class == "raw" then return (", const %s &%s"):format(raw_type(p), p.name) end
    return (", %s &%s"):format(qualified(p), p.name)
  end, "")
end

local function numbers(first, count)
  local list = {}
  for k = 1, count do list[k] = ("plan.v[%d]"):format(first + k - 1) end
  return table.concat(list, ", ")
end

-- Arguments for raw arrays.
local function raw_values(raw)
  return each(raw, any, function(p)
    local extents = p.rank > 0 and (", {%s}, {%s}"):format(numbers(p.slot + 1, p.rank),
      numbers(p.slot + 1 + p.rank, p.rank)) or ""
    return (", %s{(%s *)p%d, plan.v[%d]%s}"):format(raw_type(p), raw_element(p), p.index, p.slot,
      extents)
  end, "")
end

-- A scalar takes two numbers of the plan.
local function scalar_value(p)
  local first = ("__longlong_as_double(plan.v[%d])"):format(p.slot)
  if p.kind == "float" then return ("(%s)%s"):format(p.ctype, first) end
  if p.kind == "complex" then
    return ("(%s)complex<double>(%s, __longlong_as_double(plan.v[%d]))"):format(p.ctype, first,
      p.slot + 1)
  end
  return ("(%s)plan.v[%d]"):format(p.ctype, p.slot)
end

-- parts.map_arguments(spec, element) -> the arguments of map after i and n; `element`: the index of
-- an element among the thread's own
local function map_arguments(spec, element)
  local inputs, _, raw = split(spec.params)
  return each(inputs, any, function(p)
    return ", " .. (p.class == "scalar" and scalar_value(p) or ("u%d%s"):format(p.index, element))
  end, "") .. raw_values(raw)
end

-- parts.post_call(spec, element) -> the call that makes outputs of `result`
local function post_call(spec, element)
  local _, outputs, raw = split(spec.params)
  local function one(p) return (", y%d%s"):format(p.index, element) end
  local elements = each(outputs, any, one, "")
  return ("_lcu_post(result, i, n%s%s);"):format(elements, raw_values(raw))
end

local RESULT = "const _lcu_acc result = joined ? _lcu_join(before, %s) : %s;"
local EXCLUSIVE = [[
const _lcu_acc result = (HEADS && %s) || (%s == 0 && !preceded) ? _lcu_identity()
        : %s == 0 ? before : joined ? _lcu_join(before, %s) : %s;]]

-- parts.result(spec, own, previous, mark, k) -> declares `result`, the value of element k of the
-- thread. In the kernel, `own` and `previous` are the totals of the thread's elements up to this
-- one and up to the one before, `before` is the total of what precedes them if `preceded`; `joined`
-- says whether that counts for this element, `mark` whether a sequence starts here.
local function result(spec, own, previous, mark, k)
  if spec.exclusive then return EXCLUSIVE:format(mark, k, k, previous, previous) end
  return RESULT:format(own, own)
end

-- A text of the user (an origin) within generated text.
local function user_text(spec, before, origin, after)
  return before .. "\n" .. shared.quoted(spec, origin, after)
end

local function expression(spec, head, origin)
  return user_text(spec, ("_LCU_INLINE _lcu_acc %s { return (_lcu_acc)("):format(head), origin,
    "); }")
end

-- The number of elements, elements and raw arrays.
local function signature(elements, raw)
  local all = table.move(raw, 1, #raw, #elements + 1, table.move(elements, 1, #elements, 1, {}))
  return ("long long %s%s%s"):format(shared.count_name(all), declared(elements), declared(raw))
end

local function user_functions(spec)
  local inputs, outputs, raw = split(spec.params)
  local map = "_lcu_map(long long i, " .. signature(inputs, raw) .. ")"
  local post = "_LCU_INLINE void _lcu_post(const _lcu_acc &a, long long i, "
    .. signature(outputs, raw) .. ") {"
  return table.concat {
    "#define _LCU_INLINE static __device__ __forceinline__\n",
    shared.typedef(spec, spec.acc, "_lcu_acc"), expression(spec, map, spec.map),
    expression(spec, "_lcu_join(const _lcu_acc &a, const _lcu_acc &b)", spec.scan),
    spec.identity and expression(spec, "_lcu_identity()", spec.identity) or "",
    spec.post and user_text(spec, post, spec.post, "; }")
      or ("%s %s = (%s)a; }\n"):format(post, outputs[1].name, outputs[1].ctype),
    shared.last_macros(spec),
  }
end

-- parts.head(spec) -> everything before the kernel, including look-back
local function head(spec)
  return spec.prelude .. user_functions(spec) .. fill(COMMON, { PLAN = spec.plan_size }) ..
    look_back.text(spec.alone)
end

-- parts.values(spec) -> the values for fill that both kernels need
local function values(spec)
  local params = each(spec.params, function(p) return p.class ~= "scalar" end, function(p)
    return ("%svoid *p%d, "):format(p.output and "" or "const ", p.index)
  end, "")
  return { THREADS = THREADS, KERNEL = spec.name, PARAMS = params,
    HEADS = (spec.rows or spec.segments) and 1 or 0 }
end

return {
  THREADS = THREADS, fill = fill, each = each, is_array = is_array, is_read = is_read,
  is_segments = is_segments, stored = stored, head = head, values = values,
  map_arguments = map_arguments, post_call = post_call, result = result,
}
