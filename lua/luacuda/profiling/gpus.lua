-- gpus.lua: one GPU for each architecture that profiles are estimated for, with published figures:
-- its name, multiprocessors, boost clock and memory bandwidth from NVIDIA's data sheet or white
-- paper (`source`); what a multiprocessor does and holds from the CUDA programming guide (tables
-- "Throughput of Native Arithmetic Instructions" and "Technical Specifications per Compute
-- Capability"). `f32`, `f64` and `f16` are results per clock and multiprocessor: twice that, by
-- clock and multiprocessors, is the peak that is published for the GPU. `tensor_tflops` is for
-- products of f16 with f32 sums, dense. What a multiprocessor of sm_90 holds is what one reports.

local function gpu(row)
  row.registers, row.reserved = row.registers or 65536, row.reserved or 1024
  return row
end

return {
  sm_75 = gpu{ name = "T4", multiprocessors = 40, clock_ghz = 1.59, gb_per_s = 320,
    f32 = 64, f64 = 2, f16 = 128, tensor_tflops = 65, warps = 32, blocks = 16,
    shared = 64 * 1024, reserved = 0, source = "NVIDIA T4 data sheet; Turing white paper" },
  sm_80 = gpu{ name = "A100 SXM 40 GB", multiprocessors = 108, clock_ghz = 1.41, gb_per_s = 1555,
    f32 = 64, f64 = 32, f16 = 256, tensor_tflops = 312, warps = 64, blocks = 32,
    shared = 164 * 1024, source = "NVIDIA A100 white paper" },
  sm_86 = gpu{ name = "GeForce RTX 3090", multiprocessors = 82, clock_ghz = 1.695,
    gb_per_s = 936, f32 = 128, f64 = 2, f16 = 128, tensor_tflops = 71, warps = 48, blocks = 16,
    shared = 100 * 1024, source = "NVIDIA GA102 white paper" },
  sm_89 = gpu{ name = "GeForce RTX 4090", multiprocessors = 128, clock_ghz = 2.52,
    gb_per_s = 1008, f32 = 128, f64 = 2, f16 = 128, tensor_tflops = 165.2, warps = 48,
    blocks = 24, shared = 100 * 1024, source = "NVIDIA Ada white paper" },
  sm_90 = gpu{ name = "H100 SXM", multiprocessors = 132, clock_ghz = 1.98, gb_per_s = 3350,
    f32 = 128, f64 = 64, f16 = 256, tensor_tflops = 989.4, warps = 64, blocks = 32,
    shared = 228 * 1024, source = "NVIDIA H100 data sheet and white paper" },
  sm_120 = gpu{ name = "GeForce RTX 5090", multiprocessors = 170, clock_ghz = 2.41,
    gb_per_s = 1792, f32 = 128, f64 = 2, f16 = 128, tensor_tflops = 209.5, warps = 48,
    blocks = 24, shared = 100 * 1024, source = "NVIDIA RTX Blackwell white paper" },
}
