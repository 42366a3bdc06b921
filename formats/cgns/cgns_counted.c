/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_counted.c - MIXED sections of files that are older than version 3.4
 *
 * They have no array ElementStartOffset: an element follows its type, whose number of nodes is known. libcgns 3.4
 * does not read them from ADF where they are of 64 bits, so they are read from the tree and offsets made here. In
 * NGON_n and NFACE_n of such files an element follows its number of nodes or faces, which the library takes out. */
#include "formats/cgns/cgns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#ifdef MPLAN_HAVE_CGNS
#include <cgns_io.h>

static mplan_status fail_section(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                 const mplan_cgns_section *section, const char *what,
                                 mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: zone %s: section %s: %s", file->input->path,
                      zone->name, section->name, what);
}

/* n numbers of 32 or 64 bits as the library's; false where one is too wide for it.
 * data: n numbers of 4 bytes, with `narrow`, or 8; values: out, n. */
static bool convert(const void *data, bool narrow, int64_t n, cgsize_t *values)
{
    const char *bytes = data;
    for (int64_t i = 0; i < n; i++) {
        int32_t half;
        int64_t whole;
        if (narrow) {
            memcpy(&half, bytes + 4 * i, sizeof half);
            whole = half;
        } else {
            memcpy(&whole, bytes + 8 * i, sizeof whole);
        }
        values[i] = (cgsize_t)whole;
        if (values[i] != whole)
            return false;
    }
    return true;
}

/* The whole array `name` of the section, of n numbers, which the caller has compared with its size. */
static mplan_status read_array(const mplan_cgns *file, const mplan_cgns_zone *zone,
                               const mplan_cgns_section *section, const char *name, int64_t n,
                               cgsize_t *values, mplan_error *err)
{
    int tree;
    double above, node;
    char path[3 * MPLAN_CGNS_NAME], type[CGIO_MAX_DATATYPE_LENGTH + 1] = "";
    snprintf(path, sizeof path, "%s/%s", section->name, name);
    if (cg_get_cgio(file->file, &tree) != CG_OK ||
        cg_zone_id(file->file, file->base, zone->index, &above) != CG_OK ||
        cgio_get_node_id(tree, above, path, &node) != CGIO_ERR_NONE ||
        cgio_get_data_type(tree, node, type) != CGIO_ERR_NONE)
        return mplan_cgns_fail_library(file, zone, err);
    bool narrow = strcmp(type, "I4") == 0;
    if (!narrow && strcmp(type, "I8") != 0)
        return fail_section(file, zone, section, "its numbers are not whole", err);
    void *data = mplan_alloc(n, narrow ? 4 : 8, err);
    if (!data)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    if (cgio_read_all_data(tree, node, data) != CGIO_ERR_NONE)
        status = fail_section(file, zone, section, "its numbers cannot be read", err);
    if (!status && !convert(data, narrow, n, values))
        status = fail_section(file, zone, section, "a number is wider than 32 bits", err);
    free(data);
    return status;
}

/* Nodes of an element of this type; -1 for what is not a type. */
static int64_t length_of(cgsize_t type)
{
    int n = 0;
    bool known = type > 0 && type < NofValidElementTypes &&
                 cg_npe((CGNS_ENUMT(ElementType_t))type, &n) == CG_OK;
    return known && n > 0 ? n : -1;
}

/* Where the elements of a section of mixed types begin: offsets has one entry more than elements. An element is a type,
 * then as many nodes as the type has; they must fill the section.
 * section->values is read. Offsets are where the types are, as the library has them in newer files. */
static mplan_status make_offsets(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                 const mplan_cgns_section *section, mplan_error *err)
{
    int64_t n = section->end - section->start + 1, at = 0;
    for (int64_t e = 0; e < n; e++) {
        int64_t length = at < section->size ? length_of(section->values[at]) : -1;
        if (length < 0 || length > section->size - at - 1)
            return fail_section(file, zone, section,
                                "an element is of no type, or its nodes end too early", err);
        section->offsets[e] = (cgsize_t)at;
        at += length + 1;
    }
    section->offsets[n] = (cgsize_t)at;
    return at == section->size ? MPLAN_OK
                               : fail_section(file, zone, section,
                                              "its connectivity is longer than its elements", err);
}

/* Cells beside an element and their sides, four lists of n.
 * section->parent: cells left, cells right, sides left, sides right; read as two arrays, in old files as one. */
static mplan_status read_parents(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                 mplan_cgns_section *section, mplan_error *err)
{
    int64_t n = section->end - section->start + 1;
    if (section->old_parents)
        return read_array(file, zone, section, "ParentData", 4 * n, section->parent, err);
    mplan_status status = read_array(file, zone, section, "ParentElements", 2 * n, section->parent,
                                     err);
    return status ? status
                  : read_array(file, zone, section, "ParentElementsPosition", 2 * n,
                               section->parent + 2 * n, err);
}

/* values: size entries; parent: four lists of an entry for each element, or NULL; mplan_cgns_load has made them. */
mplan_status mplan_cgns_load_counted(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                     mplan_cgns_section *section, mplan_error *err)
{
    mplan_status status = read_array(file, zone, section, "ElementConnectivity", section->size,
                                     section->values, err);
    if (!status)
        status = make_offsets(file, zone, section, err);
    if (!status && section->parent)
        status = read_parents(file, zone, section, err);
    return status ? status : mplan_interrupted(file->context, err);
}
#endif
