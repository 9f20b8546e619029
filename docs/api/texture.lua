local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local CLOSED = "Releases the handle. Work that is queued continues. A second call has no effect."

local function field(name, type, text)
  return { name, kind = "field", returns = { type }, text = text }
end

return {
  title = "Textures and surfaces",
  text = [[
    A CUDA array is memory in the layout of the texture hardware. A texture says how kernels read
    it: which texels are averaged, and what lies outside. A surface lets kernels write it. Kernels
    take them for parameters of type `cudaTextureObject_t` and `cudaSurfaceObject_t`, also as fields
    of a struct, and hold them and the memory they use until they are done. Work is ordered by that
    memory: a kernel that takes a texture reads it, one that takes a surface writes it.]],
  parts = {
    { class = "luacuda", entries = {
      { "tensor_map",
        params = { "array: Array, of one to five axes, the last without gaps" }, needed = true,
        options = {
          "box?: integer[], elements per axis that one copy spans, 1 to 256 each; those of the "
            .. "last axis are a multiple of 16 bytes; needed, unless `channels` is given",
          "channels?: integer, im2col mode: elements of the last axis that one copy takes of each "
            .. "pixel, 1 to 256; the array has a first axis of images, one to three spatial axes "
            .. "and a last axis of channels",
          "pixels?: integer (1), im2col mode: pixels of one copy, 1 to 1024",
          "low?: integer[], im2col mode: the lowest coordinate of pixels per spatial axis (0)",
          "high?: integer[], im2col mode: how far pixels go beyond the last one per spatial axis, "
            .. "or less far if negative (0)",
          "steps?: integer[], elements between those that are copied, 1 to 8 per axis (all 1)",
          "swizzle?: integer (0), bytes of shared memory in which units of 16 bytes are exchanged: "
            .. "32, 64 or 128, at least those of a row of the box; on the CPU device equal to it",
          "nan?: boolean (false), elements of floats outside the array read as NaN, not 0",
          "tf32?: boolean (false), copies to shared memory round float32 to TF32" },
        returns = { "string" },
        raises = [[`unsupported` below compute capability 9.0; `driver` for strides that are not
          multiples of 16 bytes]],
        text = [[The bytes of a `CUtensorMap`, for kernels that copy boxes of the array to and from
          shared memory (`cp.async.bulk.tensor`). A kernel takes it as `const __grid_constant__
          CUtensorMap`, or as a struct of 128 bytes, aligned to 128. Lists are in the order of the
          array's axes; the coordinates in the kernel begin with the last one. That one, times the
          size of an element, must be a multiple of 16 bytes: a copy from another place is a fault
          (on a GPU, an illegal instruction).

          In im2col mode a copy has pixels one after the other, from the coordinates that it gives:
          along the last spatial axis, then the one before, within `low` and `high`, then of the
          next image. `steps` are between pixels. The copy adds its offsets to all of them.

          Copies from shared memory write whole units of 16 bytes: where a row of the array ends
          within one, the gap after it is overwritten up to the unit's end. They may not begin at a
          negative coordinate, and in im2col mode not have `low` below 0 or `high` above 0: that is
          also a fault (on a GPU, an illegal instruction).

          The string is an address, not a reference: keep the array alive. If several streams use
          it, also pass the array to the kernel, or synchronize.]] },
      { "cuda_array",
        params = { "shape: integer|integer[]|Array, texels per axis, or an array to copy",
          "dtype?: string (float32, or that of the array), element type" },
        options = {
          "channels?: integer (1), elements of a texel: 1, 2 or 4, at most 16 bytes together",
          "surface?: boolean (false), kernels may write it through a surface",
          "layered?: boolean (false), the first axis counts layers",
          "cubemap?: boolean (false), the first axis counts the faces of cubemaps: six, or with "
            .. "`layered` a multiple",
          "gather?: boolean (false), kernels may use `tex2Dgather`",
          "mipmaps?: boolean|integer (false), all levels, or their number",
          "device?: Device|integer|string (that of the array, else the current device)", STREAM,
          "dtype?: string, in place of the parameter" },
        returns = { "CuArray" },
        raises = [[`memory` if the allocation fails; a string for extents beyond the limits of the
          device]],
        text = [[Allocates a CUDA array with undefined contents, or one with the contents of an
          array. The shape is that of an array in C order: {width}, {height, width} or {depth,
          height, width}, with layers {layers, width} or {layers, height, width}. Channels are not
          part of it; an array to copy has them as its last axis if `channels` is given.

          The dtype is any but a struct. The hardware has no elements of 64 bits: it stores float64,
          int64 and uint64 as two channels of 32 bits, complex128 as four, complex64 as two of
          float32, bfloat16 as uint16, and floats of 8 bits as uint8. `#include <luacuda/texture.h>`
          gives kernels
          `luacuda::tex2D<double>(t, x, y)`, `luacuda::surf2Dwrite(v, s, x, y)` and the like for
          `double`, `long long`, `unsigned long long` and vectors of two of them, with CUDA's names
          and arguments: with a level (`tex2DLod`), layers, cubemaps and boundary modes.]] },
      { "texture",
        params = { "source: CuArray|Array" },
        options = {
          'filter?: "point"|"linear" ("point"), the nearest texel, or a mean of those around',
          'address?: string|string[] ("clamp"), what lies outside, for all axes or x, y and z: '
            .. '"clamp", "border", "wrap" or "mirror"; the last two need `normalized`',
          'read?: "element"|"normalized" ("element"), integers of 8 and 16 bits as they are, or as '
            .. "floats from 0 (signed: -1) to 1",
          "normalized?: boolean (false; true for mipmaps and cubemaps), coordinates from 0 to 1",
          'border?: number|number[] (0), what "border" reads, for all channels or for each; in the '
            .. 'type that kernels read',
          "srgb?: boolean (false), decode sRGB (uint8 read as normalized)",
          "anisotropy?: integer (0), greatest ratio of anisotropic filtering, up to 16",
          'mipmap_filter?: "point"|"linear" (that of `filter`), filter between levels',
          "mipmap_bias?: number (0), added to the level",
          "min_level?: number (0), lowest level that is read; 0 is the largest",
          "max_level?: number (the last), highest level that is read",
          "seamless?: boolean (false), filter across the edges of a cubemap",
          "channels?: integer (1), elements of a texel in an Array, whose last axis holds them" },
        returns = { "Texture" },
        text = [[Makes a texture over a CUDA array, over a contiguous array of one axis, which
          kernels read by index (`tex1Dfetch`), or over an array of two axes, whose rows have to be
          a multiple of `texture_pitch_alignment` bytes apart, as those of `cuda.alloc_pitch` are.
          The memory is not copied: later writes to it are visible. Closing the array or CUDA array
          leaves the memory to the texture.]] },
      { "surface", params = { "cuda_array: CuArray, made with `surface = true`" },
        returns = { "Surface" },
        text = [[Makes a surface, through which kernels read and write texels without filtering. The
          x coordinate of `surf2Dwrite` and the like counts bytes.]] },
    } },
    { class = "CuArray", text = "Memory in the layout of the texture hardware.", entries = {
      field("shape", "Shape", "Texels per axis, without the channels."),
      field("ndim", "integer", "The number of axes, without the channels."),
      field("dtype", "string", "The element type."),
      field("channels", "integer", "Elements of a texel."),
      field("nbytes", "integer", "Bytes of all texels, mipmaps included."),
      field("levels", "integer", "The number of levels; 1 without mipmaps."),
      field("device", "Device", "Its device."),
      field("surface", "boolean", "Whether kernels may write it through a surface."),
      field("layered", "boolean", "Whether the first axis counts layers."),
      field("cubemap", "boolean", "Whether the first axis counts faces."),
      field("gather", "boolean", "Whether kernels may use `tex2Dgather`."),
      field("handle", "integer", "The driver's `CUarray`; of mipmaps that of the largest level."),
      { "level", params = { "i: integer, from 1, the largest" }, returns = { "CuArray" },
        text = [[Returns one level of a CUDA array with mipmaps, for copies and surfaces. It shares
          the memory. Level `i` is level `i - 1` in kernels.]] },
      { "set",
        params = { "value: any, a nested table, an Array, bytes, or one value for all elements" },
        options = { STREAM }, returns = { "CuArray, itself" },
        text = [[Assigns all elements, as `array:set` does; several channels are the last
          axis. With mipmaps: those of the largest level, as in every copy.]] },
      { "array", options = { "out?: Array, array to fill", STREAM },
        returns = { "Array, new or `out`" },
        text = [[Copies all elements to an array on the same device; several channels are the last
          axis.]] },
      { "totable", params = { "reuse?: table, table to fill" }, returns = { "table" },
        raises = "`launch` if earlier work failed",
        text = "Waits and returns all elements as nested tables." },
      { "close", text = CLOSED }, { "free", text = "The same as `cuarray:close`." },
    } },
    { class = "Texture", text = "How kernels read an array or a CUDA array.", entries = {
      field("source", "CuArray|Array", "What it was made of."),
      field("device", "Device", "Its device."),
      field("handle", "integer", "The driver's `CUtexObject`, for arrays of `uint64`."),
      field("filter", '"point"|"linear"', "The filter."),
      field("address", "string[]", "What lies outside, for x, y and z."),
      field("read", '"element"|"normalized"', "How integers are read."),
      field("normalized", "boolean", "Whether coordinates go from 0 to 1."),
      { "close", text = CLOSED }, { "free", text = "The same as `texture:close`." },
    } },
    { class = "Surface", text = "How kernels write a CUDA array.", entries = {
      field("source", "CuArray", "What it was made of."),
      field("device", "Device", "Its device."),
      field("handle", "integer", "The driver's `CUsurfObject`, for arrays of `uint64`."),
      { "close", text = CLOSED }, { "free", text = "The same as `surface:close`." },
    } },
  },
}
