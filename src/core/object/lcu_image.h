/* lcu_image.h: what loadable code is: PTX or machine code, whole or damaged. */
#ifndef LCU_IMAGE_H
#define LCU_IMAGE_H

#include "lcu_status.h"

/* PTX text, machine code, or neither? A damaged ELF file is told from a whole one: LCU_E_SYNTAX
 * with the reason. */
typedef enum lcu_image_kind {
  LCU_IMAGE_NONE,
  LCU_IMAGE_PTX,
  LCU_IMAGE_ELF,
  LCU_IMAGE_FATBIN
} lcu_image_kind;
lcu_image_kind lcu_image_kind_of (const void *image, size_t size);
lcu_status lcu_image_check (const void *image, size_t size);

#endif
