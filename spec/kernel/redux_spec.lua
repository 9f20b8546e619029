-- redux.sync of f32 among all lanes of a warp, and among those that took a branch, against the
-- minimum and maximum in Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

local FORMS = {}
for _, op in ipairs { "min", "max" } do
  for _, abs in ipairs { "", ".abs" } do
    for _, nan in ipairs { "", ".NaN" } do
      FORMS[#FORMS + 1] = { op = op, abs = abs ~= "", nan = nan ~= "", text = op .. abs .. nan }
    end
  end
end

local KERNEL = [[
.visible .entry k%d (.param .u64 in, .param .u64 out, .param .u32 on) {
  .reg .b64 %%a, %%b;
  .reg .b32 %%t, %%m, %%bit, %%d;
  .reg .f32 %%x;
  .reg .pred %%off;
  ld.param.u64 %%a, [in];
  ld.param.u64 %%b, [out];
  ld.param.u32 %%m, [on];
  mov.u32 %%t, %%tid.x;
  mad.wide.u32 %%a, %%t, 4, %%a;
  mad.wide.u32 %%b, %%t, 4, %%b;
  ld.global.f32 %%x, [%%a];
  shr.u32 %%bit, %%m, %%t;
  and.b32 %%bit, %%bit, 1;
  setp.eq.u32 %%off, %%bit, 0;
  @%%off bra DONE;
  redux.sync.%s.f32 %%d, %%x, %%m;
  st.global.u32 [%%b], %%d;
DONE:
  ret;
}
]]

local SPECIAL = { 0.0, -0.0, 1 / 0, -1 / 0, 0 / 0, 1e-40, -1e-40, 3.5, -3.5 }
local CANONICAL = 0x7fffffff

local function bits(x) return (string.unpack("<I4", string.pack("<f", x))) end

-- Values of lanes: any, mostly NaN, or zeros of both signs.
local function draw(round)
  local v = {}
  for l = 1, 32 do
    local r = math.random()
    if round % 4 == 0 then v[l] = r < 0.97 and 0 / 0 or SPECIAL[math.random(#SPECIAL)]
    elseif round % 4 == 1 then v[l] = r < 0.5 and 0.0 or -0.0
    elseif round % 4 == 2 then v[l] = math.random(-1000, 1000) / 8
    else v[l] = r < 0.3 and SPECIAL[math.random(#SPECIAL)] or math.random(-1000, 1000) / 8 end
  end
  return v
end

-- -0 is less than +0.
local function less(a, b)
  if a == b then return a == 0 and 1 / a < 1 / b end
  return a < b
end

local function expected(form, values, on)
  local best, any_nan
  for l = 1, 32 do
    if on >> l - 1 & 1 == 1 then
      local x = values[l]
      if x ~= x then any_nan = true
      else
        if form.abs and less(x, 0.0) then x = -x end
        if best == nil or less(x, best) == (form.op == "min") and bits(x) ~= bits(best) then
          best = x
        end
      end
    end
  end
  if best == nil or any_nan and form.nan then return CANONICAL end
  return bits(best)
end

describe("redux.sync of f32", function()
  helper.for_each_device(function(device)
    it("gives the minimum and maximum of the lanes that take part", function()
      if device.kind ~= "cpu" and device.cc ~= 100 then return end -- sm_100a
      local target = device.kind == "cpu" and "sm_80" or "sm_100a"
      local text = { ".version 8.6\n.target " .. target .. "\n.address_size 64\n" }
      for i, form in ipairs(FORMS) do text[#text + 1] = KERNEL:format(i, form.text) end
      local module = cuda.module(table.concat(text))
      math.randomseed(12)
      for i, form in ipairs(FORMS) do
        local kernel = module:kernel("k" .. i)
        for round = 1, 40 do
          local values = draw(round)
          local on = round % 3 == 0 and 0xffffffff
            or round % 3 == 1 and 1 << math.random(0, 31) or math.random(1, 0xffffffff)
          local out = cuda.full(32, 77, "uint32")
          kernel({ grid = 1, block = 32 }, cuda.array(values, "float32"), out, on)
          local want, all = expected(form, values, on), out:totable()
          for l = 1, 32 do
            local is = on >> l - 1 & 1 == 1 and want or 77
            assert.equal(is, all[l], form.text .. ", round " .. round .. ", lane " .. l)
          end
        end
      end
    end)
  end)
end)
