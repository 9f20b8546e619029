-- core.sha256 and core.crc32, which verify cached kernels and archives: known answers (from FIPS
-- 180-4, and Python's hashlib and zlib) for lengths around the end of a block.
local core = require "luacuda.core"

local function bytes(n)
  local list = {}
  for i = 0, n - 1 do list[i + 1] = string.char(i * 7 + i // 64 & 255) end
  return table.concat(list)
end

local SHA256 = {
  [0] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  [1] = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  [3] = "b361d0f9a938a2bb4fbdc9c21dc5a859788041b0040919d8a811c1888184f4df",
  [55] = "576a1bf8d4478657e6dc4af9398544765c2a92cde28478b019235cfed315fc09",
  [56] = "9b20501dfd1d99161c257950f3444f3e49230c351c5c8e0943ef369f85f5205d",
  [63] = "30b345906b493f06f69444b6521113511c242f30e29840462950035043682f1e",
  [64] = "d8bc63b4fc1156e5e7d95a418b9bf54cd3174bedbc2db40f74895349b229b3c0",
  [65] = "480da1d144fd8387b206317a63d7e97552dfc887816faf41b336cdf1394064ab",
  [119] = "9c5af525ad9cb2ce92bce447ad403389954f950f11d84702b4d62cfad61642d8",
  [120] = "ba3f65d34c565ebbf25d190fd4186b0b357fab52ba245ff571ca98a4dc0a1428",
  [128] = "3521a19d9a7984ba3ac7ee3ace12ecfef007cbc1008a3ccd9fb9baf7a168eb8c",
  [1000] = "eef63ab082b12aab1c213064dcd6ea4b43b9a3d86d3952834cccc0556073133c",
}

describe("core.sha256", function()
  it("is SHA-256", function()
    for n, want in pairs(SHA256) do assert.equal(want, core.sha256(bytes(n)), n .. " bytes") end
    assert.equal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      core.sha256 "abc")
    assert.equal("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
      core.sha256(("a"):rep(1000000)))
  end)

  it("of several strings covers the strings and their lengths", function()
    math.randomseed(9)
    for _ = 1, 50 do
      local parts, whole = {}, {}
      for i = 1, math.random(2, 5) do
        parts[i] = bytes(math.random(0, 130))
        whole[i] = ("<I8"):pack(#parts[i]) .. parts[i]
      end
      assert.equal(core.sha256(table.concat(whole)), core.sha256(table.unpack(parts)))
    end
    assert.are_not.equal(core.sha256("ab", "c"), core.sha256("a", "bc"))
    assert.are_not.equal(core.sha256("ab", ""), core.sha256("ab"))
  end)
end)

describe("core.crc32", function()
  it("is the CRC-32 of zip archives, also in parts", function()
    assert.equal(0, core.crc32 "")
    assert.equal(0xcbf43926, core.crc32 "123456789")
    for _, cut in ipairs { 0, 1, 8, 500, 999 } do
      local whole = bytes(1000)
      assert.equal(core.crc32(whole), core.crc32(whole:sub(cut + 1), core.crc32(whole:sub(1, cut))))
    end
  end)
end)
