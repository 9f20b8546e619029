-- Every case of cpu/test/ptx_op_cases.def, as a kernel of hand-written PTX, on every device: random
-- and edge values, results bit for bit where the ISA is exact, within its bound where it is not.
-- test_ptx_ops runs the same cases on every instruction set of the CPU device.
local helper = require "spec.helper"
local cuda = require "luacuda"

describe("the cases of PTX instructions", function()
  helper.for_each_device(function(device, name)
    it("compute what is said about them in another way", function()
      local on_cpu = name == "cpu" or helper.fake_gpu
      -- The fake GPU calls itself sm_81, and the CPU device behind it runs PTX for sm_80.
      local arch = helper.fake_gpu and 80 or math.tointeger(device.arch:match "%d+")
      if not on_cpu and arch < 90 then pending "not all of them run before sm_90" end
      local peer = helper.c_module "cpu/test/ptx_op_peer"
      local count, warps = peer.count()
      local module = cuda.module(peer.text(on_cpu and arch or 90, on_cpu))
      local wrong, run = {}, 0
      for i = 0, count - 1 do
        if on_cpu or not peer.is_own(i) then
          local inputs = cuda.array(peer.inputs(i), "int64", { shape = { 4, warps * 32 } })
          local out = cuda.full({ warps * 32, 2 }, -1, "int64")
          module:kernel("k" .. i)({ grid = warps, block = 32 }, inputs:slice(1), inputs:slice(2),
            inputs:slice(3), inputs:slice(4), out)
          wrong[#wrong + 1] = peer.check(i, out:tobytes())
          run = run + 1
        end
      end
      assert.is_true(run == count or (not on_cpu and run > count * 0.9))
      assert.are.equal("", table.concat(wrong))
    end)
  end)
end)
