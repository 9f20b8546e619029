-- The mutations of asynchronous kernels (spec/support/async_fuzz), which tools/fuzz_async.lua runs.
local mutations = require "spec.support.async_fuzz.mutations"
local random = require("spec.support.data").random
local statements = require "spec.support.async_fuzz.statements"

local function texts(source)
  local list = {}
  for k, s in ipairs(statements.read(statements.without_comments(source))) do list[k] = s.text end
  return list
end

describe("Mutations of kernels", function()
  it("read the statements of a function", function()
    local source = "void k() { if (a) { b(1); for (;;) c<0>(d[2]); } else e(); // i();\n"
      .. "auto f = [&](int i) { g(i); }; { h(); } }"
    assert.same({ "if (a) { b(1); for (;;) c<0>(d[2]); } else e();", "b(1);",
      "for (;;) c<0>(d[2]);", "c<0>(d[2]);", "e();", "auto f = [&](int i) { g(i); };", "g(i);",
      "{ h(); }", "h();" }, texts(source))
  end)

  it("change a kernel, in the same way for one seed", function()
    for _, name in ipairs { "attention", "multicast", "persistent", "ring", "roles", "split_k" } do
      local source = dofile("spec/corpus/wgmma_" .. name .. ".lua").source
      for seed = 1, 30 do
        local mutant = mutations.mutate(source, random(seed))
        assert.not_equal(statements.without_comments(source), mutant)
        assert.equal(mutant, (mutations.mutate(source, random(seed))))
      end
    end
  end)
end)
