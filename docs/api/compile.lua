local SOURCE = "source: string|Source, CUDA C++ (PTX and machine code are recognized)"
local ARCH = [[arch?: string ("native"), `"sm_NN"`: machine code, for devices of that major and this
  or a later minor version; `"compute_NN"`: PTX, for those and all later devices; `"native"`: the
  device's]]
local COMPILER = {
  "source?: string|Source, in a call with one table; exactly one of `source`, `path` and `binary`",
  "path?: string, file with the source",
  "binary?: string, PTX or machine code; damaged or padded code raises",
  "flags?: string|string[], flags for the compiler: one, or a list with an item for each",
  "defines?: table, macros: name to number, string or boolean",
  "include_dirs?: string|string[], folders of included files",
  "headers?: table, included files in memory: name to text",
  'std?: string ("c++17"), C++ standard', ARCH,
  [[backend?: "nvrtc"|"nvcc" ("nvrtc"), compiler: NVRTC is a library; nvcc is a program of the CUDA
    toolkit, which runs once for each source and whose headers are those of the host's C++]],
  "nvcc?: string (found), with that backend the program: its path, or its name in `PATH`",
  [[extern_c?: boolean (false), give the source C linkage, as with `extern "C" { }` around it:
    includes that are in no braces stay outside]],
  [[host?: "strip", take host code out before compiling, as in a `.cu` file written for nvcc:
    functions, variables and classes that are not for devices, the headers they need, and
    `using std`. It becomes spaces, so lines keep their numbers. The user's headers that the source
    includes are treated the same way. Types, templates, constants and `__host__ __device__`
    functions stay if kernels, device functions or names in `instances` use them. NVRTC only]],
  "debug?: boolean (false), compile for debuggers",
  "lineinfo?: boolean (true), keep source lines, for messages and profilers",
  "fast_math?: boolean (false), faster and less exact arithmetic",
  [[rdc?: boolean (false), relocatable device code, which is linked: what it declares `extern` must
    be defined in it or in what is linked with it; excludes `arch = "sm_NN"`]],
  "cache?: boolean (true), look up the compiled code and keep it",
  "cache_dir?: string, folder to keep compiled code in, in place of the common one",
  [[keep?: string, folder that receives each source, its code and the compiler's log, as files named
    after the source]],
}
-- Of modules and kernels, which are loaded.
local LINKED = {
  [[sources?: any[], further sources, each compiled by itself and linked: a text,
    the name of a file, `{ source = }` or `{ path = }`]],
  [[binaries?: any[], code to link: PTX, relocatable machine code, object files and
    libraries as bytes or names of files, or `{ binary =, path =, kind =, name = }`; kinds are
    `"ptx"`, `"cubin"`, `"fatbin"`, `"object"`, `"library"` and `"ltoir"`]],
  [[libraries?: string[], device libraries to link: paths, or names such as `"cudadevrt"`, which is
    searched in the CUDA toolkit]],
  [[jit?: table, options of the driver's PTX compiler and linker: `max_registers`,
    `threads_per_block`, `optimization` (0 to 4), `target` (`"sm_NN"`), `fallback` (`"ptx"` or
    `"binary"`; not where code is linked), `cache_mode` (`"none"`, `"cg"` or `"ca"`), `debug`,
    `lineinfo`, `verbose`; source is then compiled to PTX]],
  [[lto?: boolean (false), optimize across sources when linking, with nvJitLink; so does code of the
    kind `"ltoir"` among `binaries`]],
  [[on_message?: function, called with whether the driver accepted the code, its messages and its
    errors: `function(ok, info, errors)`]],
  [[on_load?: function, called with the module and the device after the code is loaded there, before
    the first launch; for example to set variables]],
}
local INSTANCES = "instances?: string|string[], template instances to compile with it"
local NO_FILE = "`runtime` if the file at `path` cannot be read; `compile` at the first use"

local function options(...)
  local list = table.move(COMPILER, 1, #COMPILER, 1, {})
  return table.move({ ... }, 1, select("#", ...), #list + 1, list)
end

-- Those that apply to every source, and those of the driver.
local function linker_options()
  local list = {}
  for _, option in ipairs(options(LINKED[4], LINKED[5], LINKED[6])) do
    if not option:find "^source" and not option:find "^path" and not option:find "^binary" then
      list[#list + 1] = option
    end
  end
  return list
end

local function linked(...)
  local list = options(...)
  return table.move(LINKED, 1, #LINKED, #list + 1, list)
end

return {
  title = "Compiling",
  text = [[
    Kernels and modules are compiled when they are first used, for the device they are then used on,
    and again for each other one. Everything can be given in one table: `cuda.kernel{ path =
    "blur.cu", name = "blur" }`. Compiled code is kept in memory and in a folder on disk.]],
  parts = {
    { class = "luacuda", entries = {
      { "kernel",
        params = { SOURCE, "name?: string (the only kernel), kernel to return" },
        everything = true,
        options = linked("name?: string, in place of the parameter", INSTANCES),
        returns = { "Kernel" }, raises = NO_FILE, text = "Makes a kernel from source." },
      { "module", params = { SOURCE }, everything = true,
        options = linked(INSTANCES), returns = { "Module" }, raises = NO_FILE,
        text = [[Makes a module: the kernels and variables of one source, or of several sources and
          compiled code that are linked.]] },
      { "linker",
        options = linker_options(),
        returns = { "Linker" }, text = "Makes a linker, which collects code one by one." },
      { "compile", params = { SOURCE }, everything = true,
        options = options([[target?: "ptx"|"cubin"|"ltoir"|"fatbin" ("ptx"), kind of code; a fat
          binary needs `backend = "nvcc"`, and flags such as
          `"-gencode=arch=compute_90,code=sm_90"` list what is in it]], INSTANCES),
        returns = { "string, the compiled code", "string, the compiler's log" },
        raises = "`compile`; `runtime` if the file at `path` cannot be read",
        text = "Compiles source without loading it." },
      { "preprocess", params = { SOURCE }, everything = true, options = options(INSTANCES),
        returns = { "string, the text", "string, the compiler's log" },
        raises = "`compile`; `runtime` if the file at `path` cannot be read",
        text = [[Returns the source as it is after the preprocessor, with nvcc, which has to be
          installed: NVRTC does not show this text.]] },
      { "architectures",
        options = { 'backend?: "nvrtc"|"nvcc" ("nvrtc"), compiler',
          "nvcc?: string (found), its path" },
        returns = { "integer[], such as `{ 75, 80, 90 }`" },
        raises = "`compile` if there is no such compiler",
        text = [[Lists the compute capabilities that the compiler has targets for: `"sm_75"` and
          `"compute_75"` for 75, and so on.]] },
      { "default_flags", params = { "flags?: string|string[] (unchanged), new flags" },
        returns = { "string[], the previous flags" },
        text = [[Sets flags for every source that this Lua state compiles from then on. They come
          after those of `LUACUDA_FLAGS` and before the option `flags`.]] },
      { "nvcc_version", params = { "path?: string (found), the program" },
        returns = { "integer?, major version, or nil where there is no nvcc",
          "integer|string, minor version, or the reason",
          "string?, what `nvcc --version` prints" },
        text = "Returns the version of nvcc." },
      { "template",
        params = { "text: string, source with $(expression) and lines that begin with @" },
        returns = { "Template" },
        raises = "a string with the template's line for Lua that does not compile",
        text = [[Makes a template of kernel source. `$(expression)` inserts a value; a line whose
          first character other than a space is `@` is a line of Lua; `$$(` and `@@` stand for
          themselves. The Lua code sees the names that the template is called with and `assert`,
          `error`, `ipairs`, `math`, `next`, `pairs`, `select`, `string`, `table`, `tonumber`,
          `tostring`, `type`, `utf8`.]] },
      { "cache", kind = "value", returns = { "Cache" }, text = "The disk cache of compiled code." },
    } },
    { class = "Module", text = "Kernels and variables.", entries = {
      { "kernels", kind = "field", returns = { "table" },
        text = [[Kernels by name: `module.kernels.saxpy`. `pairs` visits names and kernels, and the
          call `module:kernels()` returns the list of names.]] },
      { "log", kind = "field", returns = { "string" },
        text = "The compiler's warnings, and what the driver's PTX compiler and linker wrote." },
      { "jit", kind = "field",
        returns = { [[table, `info_log` and `error_log` (string), `wall_ms` (number, if options were
          given or code was linked), `threads_per_block` (integer, if the option was given) and
          `registers` (table, kernel name to 32-bit registers per thread)]] },
        raises = "`compile`",
        text = "What the driver's PTX compiler or linker reported; loads the module." },
      { "kernel",
        params = { [[name: string, plain, with namespaces, or a template instance
          (`"scale<float>"`)]] },
        returns = { "Kernel" }, raises = "a string if there is no such kernel; `compile`",
        text = [[Returns a kernel. A template instance that is not among the option `instances` is
          compiled with the module if it is named before the module is first used. Later it is
          compiled by itself; that raises a string if the module has variables, which a second copy
          of the code would not share.]] },
      { "global", params = { "name: string" },
        options = { "dtype?: Dtype (the compiler's), type of its elements" },
        returns = { "Array, over the variable" },
        raises = "a string if there is no such variable; `compile`",
        text = [[Returns an array over a `__device__`, `__constant__` or `__managed__` variable, or
          an instance of a variable template that a kernel of the module uses
          (`"table<float>"`).]] },
      { "sizeof", params = { 'type: string, a type of the source or its headers: "curandState"' },
        returns = { "integer, its size in bytes", "integer, its alignment" },
        raises = [[a string if the source has no such type, or only declares it, or the module was
          made from a binary; `compile`]],
        text = [[Asks the compiler for the size of a type, so that a program can allocate memory for
          it. Needs no device.]] },
      { "compile", options = { "log?: any, function or open file that receives the module's log" },
        returns = { "Module, itself" }, raises = "`compile`",
        text = "Compiles and loads the module and all its kernels for the current device now." },
      { "source", returns = { "string" }, raises = "a string if it was made from a binary",
        text = "Returns the source." },
      { "close", text = "Releases the handle; the code is unloaded with its last kernel." },
      { "free", text = "The same as `module:close`." },
    } },
    { class = "Linker",
      text = "Collects sources, code and libraries; made by `cuda.linker`.",
      entries = {
        { "add",
          params = { [[item: string|Source, source, PTX, machine code, an object file or a library
            as bytes, the name of a file, or the name of a library such as `"cudadevrt"`]] },
          options = {
            [[kind?: "source"|"ptx"|"cubin"|"fatbin"|"object"|"library"|"ltoir" (recognized), what
              it is]],
            "name?: string (the file's), name of code in messages",
          },
          returns = { "Linker, itself" }, raises = "`runtime` if a file cannot be read",
          text = [[Adds something to link. Ignores the log that `cuda.compile` returns as its second
            result, so you can pass a call: `l:add(cuda.compile(source, { rdc = true }))`.]] },
        { "complete", returns = { "string, the linked code", "string, the driver's log" },
          raises = "`compile`; a string if nothing was added",
          text = [[Compiles the sources and links everything for the current device. More may be
            added afterwards.]] },
        { "module", returns = { "Module" }, raises = "a string if nothing was added",
          text = "Makes a module from everything, as `cuda.module{ sources = ... }` does." },
        { "close", text = "Forgets what was added." },
        { "free", text = "The same as `linker:close`." },
      } },
    { class = "Template", text = "A template of source, made by `cuda.template`.", entries = {
      { "__call", kind = "call", params = { "names?: table, values by name" },
        returns = { "Source" },
        raises = [[a string with the template's line for a name that is not set, and errors of its
          Lua code]],
        text = [[Fills the template in. Numbers are inserted so that they read back exactly,
          negative ones in parentheses; lists as `{1, 2}`.]] },
    } },
    { class = "Source",
      text = "Filled-in source, for `cuda.kernel` and the like; `tostring` gives the text.",
      entries = {} },
    { class = "Cache",
      text = [[
        Compiled code and what `cuda.tune` has measured, on disk, in `LUACUDA_CACHE_DIR`, else
        `$XDG_CACHE_HOME/luacuda`, else `~/.cache/luacuda`. The key covers everything that can
        change the result, so there is nothing to clear after an edit.]],
      entries = {
        { "dir", kind = "function", returns = { "string?, nil if nothing is kept on disk" },
          text = "Returns the folder." },
        { "stats", kind = "function",
          returns = { [[table, counts of this Lua state: `hits`, `misses`, `written`, `damaged`,
            `failed`; in the folder: `files` and `bytes`]] },
          text = "Returns numbers of the cache." },
        { "clear", kind = "function", returns = { "integer, bytes freed" },
          text = "Removes all files of the cache." },
      } },
  },
}
