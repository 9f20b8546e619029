-- The files of this folder, one for each subject, in the order of the manual.
return {
  "module", "device", "stream", "dtype", "array", "shapes", "memory", "texture", "operators",
  "reductions", "scan", "sort", "statistics", "numerics", "linalg", "random", "interchange",
  "kernel", "compile", "builders", "jit", "gpu", "tiles", "profile", "kernel_profile", "tune",
  "graph", "communication",
  "error", "error_names", "environment",
}
