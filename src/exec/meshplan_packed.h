/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_packed.h - plan/packed.h, which is installed under this name beside the kernels' headers */
#include "plan/packed.h"
