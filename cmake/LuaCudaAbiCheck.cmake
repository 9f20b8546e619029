# Target abi_check, if NVIDIA's headers are found: compares the project's declarations of the
# driver, NVRTC, cuBLAS and NCCL with them at compile time. Not part of "all", since no build needs
# those headers.

find_path(LUACUDA_CUDA_INCDIR cuda.h
  HINTS ENV LUACUDA_CUDA_HOME ENV CUDA_HOME ENV CUDA_PATH
  PATHS /usr/local/cuda
  PATH_SUFFIXES include
  DOC "Folder with NVIDIA's cuda.h, for the abi_check target only")

set(_luacuda_abi_source "${CMAKE_CURRENT_SOURCE_DIR}/spec/c/abi_check.c")
if(LUACUDA_CUDA_INCDIR AND EXISTS "${_luacuda_abi_source}")
  add_library(abi_check OBJECT EXCLUDE_FROM_ALL "${_luacuda_abi_source}")
  target_include_directories(abi_check PRIVATE
    "${LUACUDA_ROOT}/shared/base" "${LUACUDA_ROOT}/shared/cuda" "${LUACUDA_ROOT}/src/libraries"
    "${LUACUDA_ROOT}/cpu/src/device/state" "${LUACUDA_ROOT}/cpu/src/face")
  target_include_directories(abi_check SYSTEM PRIVATE "${LUACUDA_CUDA_INCDIR}")
  target_link_libraries(abi_check PRIVATE luacuda_flags)
  set_target_properties(abi_check PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
endif()
