-- What all specs share. Busted loads this file first (`.busted`); a spec starts with
-- `local helper = require "spec.helper"`.
--
--   helper.for_each_device(fn)       a describe block per device: fn(device, name); the device is
--                                    current inside its tests
--   helper.compile_quickly()         the file's kernels without most optimizations
--   helper.for_all_dtypes(fn, opts)  fn(dtype_name, row) per element type; opts.kind = "float", or
--                                    a list of kinds; opts.coarse: floats of 8 bits, too
--   helper.close(a, b, dtype)        are two numbers equal within the dtype's precision?
--   helper.assert_close(want, got, opts)   the same for nested tables; opts.dtype, opts.rtol,
--                                    opts.atol
--   helper.random(seed)              a function: rng(n) is a number from 0 to n - 1, the same in
--                                    every run
--   helper.size_of(shape)            the number of elements
--   helper.lua(code, opts)           runs code in a fresh lua5.4: ok, output, exit code
--   helper.peer(code, opts)          a process beside this one: tell(line), hear(), close()
--   helper.goes_well(code, device)   runs code in a fresh lua5.4 that overwrites freed memory
--   helper.run_host(mode, script, device)   runs a script in spec/c/state_host.c: its output
--   helper.for_each_pair(what, fn)   fn(here, there) for two GPUs in both orders, if there are two
--   helper.each_module(source, take)  take(m) before each test of a block, take(nil) after it
--   helper.c_module(name)            the Lua module spec/c/NAME.c, built first; build_module(name)
--                                    gives its path
--   helper.error_of(fn, ...)         the error that fn(...) raises: an object or a string
--   helper.contains(text, part)      fails unless the text of an error, or a string, contains part
--   helper.assert_raises(fn, pattern)  fn raises a message that matches, position included
--   helper.read_json(text)           the value of a JSON text
--   helper.misuse(fn, ...)           fn(...) raises a string at the caller's position: the text
--                                    after the position
--   helper.this_file()               path of the spec
--   helper.line_of(mark)             number of the spec's first line that contains the mark
--   helper.tmpdir()                  a new folder, removed when the test ends
--   helper.eagerly(fn)               pcall(fn) while the collector's cycles follow each other
--                                    immediately
--   helper.fake_gpu                  is gpu0 the CPU device as cpu/src/gpus makes it, which runs
--                                    no machine code?
--   helper.sanitized                 is this a build with a sanitizer? The CPU device is many times
--                                    slower there
--
-- A test also fails if it leaves live objects (core._live()), a context current on the thread, or a
-- failure that none of its calls reported: after each test the helper synchronizes all devices in
-- use.
--
-- Environment:
--   LUACUDA_DEVICES          devices to test on, "cpu gpu0" (default: cpu, and gpu0 if present)
--   LUACUDA_TEST_GC          1: the collector runs at every step
--   LUACUDA_TEST_FAKE_GPU    1: gpu0 is not a real GPU
--   LUACUDA_TEST_SANITIZER   name of the sanitizer, or nothing
local M = {}

for _, part in ipairs { "devices", "compare", "files", "child", "messages", "data",
  "collector", "json" } do
  for name, value in pairs(require("spec.support." .. part)) do M[name] = value end
end

require "spec.support.leaks"

if os.getenv "LUACUDA_TEST_GC" == "1" then
  M.stress_collector()
end

return M
