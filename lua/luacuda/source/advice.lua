-- advice.lua: what to do about names, headers and extensions that nvcc has and NVRTC lacks, from
-- the compiler's log.

local implied = require "luacuda.source.implied"

-- NVRTC's message about a GNU extension, with the line below it; the extension; what to write.
local NO_EXPRESSION = "error: expected an expression\n[^\n]*"
local EXTENSIONS = {
  { NO_EXPRESSION .. "%(%s*{", "statement expressions such as ({ x; })" },
  { NO_EXPRESSION .. "[=,(?:&+*]%s*%([%w_ :<>]+%)%s*{", "compound literals such as (T){ x }",
    "write T{ x }" },
  { NO_EXPRESSION .. "return%s*%([%w_ :<>]+%)%s*{", "compound literals such as (T){ x }",
    "write T{ x }" },
  { NO_EXPRESSION .. "[{,]%s*%.[%a_]", "designated initializers such as { .a = 1 }",
    'give the option std = "c++20"' },
  { NO_EXPRESSION .. "%?%s*:", "a ?: b", "write a ? a : b" },
  { 'error: expected a ":"\n[^\n]*case[^\n]*%.%.%.', "ranges of cases such as case 1 ... 5" },
  { "error: expected [^\n]*\n[^\n]*[{,]%s*%[%w+%]%s*=", "initializers such as { [1] = 1 }" },
  { 'error: identifier "[%a_]+" is undefined\n[^\n]*[{,]%s*[%a_]+%s*:[^:]',
    "initializers such as { a: 1 }" },
  { 'use of the "register" storage class', "'register'", "leave it out" },
  { 'identifier "_*typeof_*" is undefined', "typeof", "write decltype(x)" },
  { 'identifier "__const_*" is undefined', "__const__", "write const" },
  { 'identifier "__asm_*" is undefined', "__asm__", "write asm" },
}

local function add_extensions(log, add)
  for _, row in ipairs(EXTENSIONS) do
    if log:find(row[1]) then
      add('NVRTC does not have the GNU extension %s: %scompile with the option backend = "nvcc"',
        row[2], row[3] and row[3] .. ", or " or "")
    end
  end
end

local POSIX = { ["unistd.h"] = true, ["pthread.h"] = true, ["omp.h"] = true, ["mpi.h"] = true,
  ["time.h"] = true, ["errno.h"] = true, ["signal.h"] = true }

-- Is it a header for programs on the host? C++'s headers have no extension.
local function is_host_header(name)
  return name:find "^[%l_]+$" or name:find "^sys/" or name:find "^thrust/" or POSIX[name]
end

local WAYS = 'the option host = "strip" takes host code out, and backend = "nvcc" compiles with '
  .. "the headers of the host"

local function add_headers(spec, log, add)
  if spec.host then return end
  local name = log:match 'cannot open source file "([^"]+)"'
  if log:find "/thrust/[%w_/]+%.%a+%(%d+%): [%l ]*error" then
    add("headers of Thrust's algorithms are for programs on the host: %s", WAYS)
  elseif name and is_host_header(name) then
    add("NVRTC does not have <%s>, a header for programs on the host: %s", name, WAYS)
  end
end

-- The compiler's messages about an unknown name, and the prefix to give that name.
local UNKNOWN = {
  { 'identifier "([%w_]+)" is undefined', "" },
  { 'namespace "std" has no member "([%w_]+)"', "std::" },
  { 'namespace "thrust" has no member "([%w_]+)"', "thrust::" },
  { 'class "[^"\n]+" has no member "([%w_]+)"', "" },
  { 'no suitable constructor exists to convert from "[^"\n]+" to "([%w_]+)', "" },
  { 'no instance of constructor "([%w_]+)', "" },
}

-- What to do about a name, or nil.
local function advice_on(spec, name)
  local header = implied.header(name)
  if spec.removed and spec.removed[name] then
    return ("'%s' is for the host, so host = \"strip\" takes it out: mark it __host__ __device__")
      :format(name)
  elseif header and not spec.text:find("<" .. header .. ">", 1, true) then
    return ("'%s': add #include <%s>"):format(name, header)
  elseif implied.TYPES[name] then
    return ("'%s' is a name of the host's headers: write %s"):format(name, implied.TYPES[name])
  elseif name:find "^thrust::" then
    return ("'%s' is for programs on the host: compile with the option backend = \"nvcc\"")
      :format(name)
  end
end

local function add_names(spec, log, add)
  for _, row in ipairs(UNKNOWN) do
    for name in log:gmatch(row[1]) do
      local advice = advice_on(spec, row[2] .. name)
      if advice then add("%s", advice) end
    end
  end
end

-- advice(spec, log, add) calls add(format, ...) with each piece of advice on a source that NVRTC
-- has refused.
return function(spec, log, add)
  if spec.backend == "nvcc" then return end
  add_headers(spec, log, add)
  add_extensions(log, add)
  add_names(spec, log, add)
end
