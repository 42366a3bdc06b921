/* SPDX-License-Identifier: Apache-2.0 */
/* base64.h - bytes from base64 text (RFC 4648) */
#ifndef MPLAN_BASE64_H
#define MPLAN_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes text from *at on, up to `end` or until `to` has no room for three more of `most` bytes; *at moves behind
 * what was used, *n is the number of bytes. Blanks may be anywhere. Padding ends a run, behind which
 * another may begin at once: VTK encodes headers by themselves. False: no base64 at *at. */
bool mplan_base64_decode(const char **at, const char *end, uint8_t *to, size_t most, size_t *n);

#endif
