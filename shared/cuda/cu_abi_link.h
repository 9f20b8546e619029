/* cu_abi_link.h: types of the driver's PTX compiler and linker. */
#ifndef CU_ABI_LINK_H
#define CU_ABI_LINK_H

typedef struct cu_link_ *cu_link; /* CUlinkState */

typedef enum cu_jit_option { /* CUjit_option, those in use */
                             CU_JIT_MAX_REGISTERS_ = 0,
                             CU_JIT_THREADS_PER_BLOCK_ = 1,
                             CU_JIT_WALL_TIME_ = 2,
                             CU_JIT_INFO_LOG_BUFFER_ = 3,
                             CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES_ = 4,
                             CU_JIT_ERROR_LOG_BUFFER_ = 5,
                             CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_ = 6,
                             CU_JIT_OPTIMIZATION_LEVEL_ = 7,
                             CU_JIT_TARGET_ = 9,
                             CU_JIT_FALLBACK_STRATEGY_ = 10,
                             CU_JIT_GENERATE_DEBUG_INFO_ = 11,
                             CU_JIT_LOG_VERBOSE_ = 12,
                             CU_JIT_GENERATE_LINE_INFO_ = 13,
                             CU_JIT_CACHE_MODE_ = 14
} cu_jit_option;

typedef enum cu_jit_input { /* CUjitInputType */
                            CU_JIT_INPUT_CUBIN_ = 0,
                            CU_JIT_INPUT_PTX_,
                            CU_JIT_INPUT_FATBINARY_,
                            CU_JIT_INPUT_OBJECT_,
                            CU_JIT_INPUT_LIBRARY_
} cu_jit_input;

#endif
