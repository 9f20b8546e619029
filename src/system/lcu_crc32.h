/* lcu_crc32.h: the CRC-32 of ISO 3309 and ITU-T V.42, used by zip archives. */
#ifndef LCU_CRC32_H
#define LCU_CRC32_H

#include "lcu_base.h"

/* The CRC of the bytes that gave `crc` (0: none) followed by these bytes. */
uint32_t lcu_crc32 (uint32_t crc, const void *data, size_t len);

#endif
