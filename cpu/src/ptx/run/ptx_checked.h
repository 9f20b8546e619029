/* ptx_checked.h: what compiled code asks with all checks on. */
#ifndef PTX_CHECKED_H
#define PTX_CHECKED_H

#include "ptx_warp.h"

extern const ptx_checks ptx_checked;

#endif
