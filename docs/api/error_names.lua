return {
  title = "Names of errors",
  text = [[
    The values of `e.name` are stable. Names that begin with `CUDA_ERROR_`, `NVRTC_ERROR_`,
    `CUBLAS_STATUS_` and so on come from NVIDIA, whose manuals describe them. The table lists the
    library's own names, with `e.kind` in parentheses.]],
  table = {
    { "name", "meaning" },
    { "LUACUDA_ERROR_NOMEM", "The host has no memory left (`memory`)." },
    { "LUACUDA_ERROR_UNSUPPORTED",
      [[The driver, the device or the compiler does not support the request (`runtime`; `compile`
        for code that is refused for this reason).]] },
    { "LUACUDA_ERROR_NOT_FOUND",
      "A library, a program, a kernel or a file does not exist (`runtime`; `compile`)." },
    { "LUACUDA_ERROR_SYNTAX", "The type of a kernel or variable could not be read (`compile`)." },
    { "LUACUDA_ERROR_COMPILE", "The compiler refused the source: `e.log` says why (`compile`)." },
    { "LUACUDA_ERROR_INSTANCE",
      "A template was named without arguments, or has no such instance (`compile`)." },
    { "LUACUDA_ERROR_ARGUMENT",
      "A value does not fit the device, or memory cannot be used as asked (`runtime`)." },
    { "LUACUDA_ERROR_FORK", "CUDA was in use before `fork` (`logic`)." },
    { "LUACUDA_ERROR_DEAD", "A fault of a kernel ended CUDA for the process (`logic`)." },
    { "LUACUDA_ERROR_STATE",
      "The call is not allowed while a graph is recorded, or the object is closed (`logic`)." },
    { "LUACUDA_ERROR_FAULT", "A kernel on the CPU device caused a fault (`launch`)." },
    { "LUACUDA_ERROR_IO", "A file could not be read or written (`runtime`)." },
    { "LUACUDA_ERROR_INTERRUPTED", "A signal ended the call (`runtime`)." },
    { "LUACUDA_ERROR_COMMUNICATION",
      "The ranks of a communicator could not exchange data (`communication`)." },
    { "LUACUDA_ERROR_TUNE", "No candidate of a search could be measured (`runtime`)." },
  },
  parts = {},
}
