/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_traits.h - what a loop's list of args says, known when its kernels are compiled
 *
 * L: the loop's traits, with `about` (an entry per arg) and `each`, which visits the list. A find_ function walks over
 * the list; the constant of the same name without find_ is what strategies ask. */
#ifndef MESHPLAN_CUDA_TRAITS_H
#define MESHPLAN_CUDA_TRAITS_H

#include "meshplan_cuda_combine.h"
#include "meshplan_gpu.h"
#include "meshplan_kernel.h"
#include "meshplan_packed.h"

#define MPLAN_INLINE __device__ __forceinline__
#define MPLAN_BOTH __host__ __device__ __forceinline__

/* For functors that have nothing to do with a kind of arg. */
#define MPLAN_IGNORE_MAPPED                                      \
    template <int A, int arity, int dim, typename T, int access> \
    MPLAN_INLINE void mapped(T(&)[arity][dim])                   \
    {                                                            \
    }
#define MPLAN_IGNORE_OPPOSITE                                                   \
    template <int A, int dim, typename T> MPLAN_INLINE void opposite(T(&)[dim]) \
    {                                                                           \
    }
#define MPLAN_IGNORE_DIRECT                                                               \
    template <int A, int dim, typename T, int access> MPLAN_INLINE void direct(T(&)[dim]) \
    {                                                                                     \
    }

namespace mplan {

constexpr bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* First arg of the same map. */
template <class L> constexpr int find_map_of(int arg)
{
    for (int b = 0; b < arg; b++)
        if (same_text(L::about[b].map, L::about[arg].map))
            return b;
    return arg;
}

template <class L> constexpr int find_max_arity()
{
    int most = 1;
    for (int a = 0; a < L::n_args; a++)
        most = L::about[a].arity > most ? L::about[a].arity : most;
    return most;
}

/* First arg that is incremented through a map; -1 without one. */
template <class L> constexpr int find_first_increment()
{
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && adds_by(L::about[a].access))
            return a;
    return -1;
}

/* All increments go through one map of arity 2. */
template <class L> constexpr bool find_pairwise()
{
    int first = find_first_increment<L>();
    if (first < 0 || L::about[first].arity != 2)
        return false;
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && adds_by(L::about[a].access) &&
            !same_text(L::about[a].map, L::about[first].map))
            return false;
    return true;
}

/* Whether an arg's map is one that increments use, so that blocks hold it. */
template <class L> constexpr bool find_incremented_map(int arg)
{
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && adds_by(L::about[a].access) &&
            same_text(L::about[a].map, L::about[arg].map))
            return true;
    return false;
}

template <class L> constexpr bool find_reads_incremented_points()
{
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && L::about[a].access == MPLAN_READ && find_incremented_map<L>(a))
            return true;
    return false;
}

template <class L> constexpr bool find_mapped_arg(int arg)
{
    return L::about[arg].map[0] != 0;
}

template <class L> constexpr int64_t find_member_bytes(int arg)
{
    mplan_type type = L::about[arg].type;
    bool long_number = type == MPLAN_TYPE_F64 || type == MPLAN_TYPE_I64;
    return int64_t(L::about[arg].dim) * (long_number              ? 8
                                         : type == MPLAN_TYPE_U8  ? 1
                                         : type == MPLAN_TYPE_U16 ? 2
                                                                  : 4);
}

/* Written or updated through a map. */
constexpr bool writes_by(int access)
{
    return access == MPLAN_WRITE || access == MPLAN_RW;
}
/* Whether elements store something besides their increments: directly, or through a map that leads to each point at most
 * once. */
template <class L> constexpr bool find_writes_directly()
{
    for (int a = 0; a < L::n_args; a++)
        if (find_mapped_arg<L>(a) ? writes_by(L::about[a].access) : L::about[a].access != MPLAN_READ)
            return true;
    return false;
}

/* All increments go through one map. */
template <class L> constexpr bool find_one_increment_map()
{
    int first = find_first_increment<L>();
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && adds_by(L::about[a].access) &&
            !same_text(L::about[a].map, L::about[first].map))
            return false;
    return true;
}

template <class L> constexpr int find_n_increments()
{
    int n = 0;
    for (int a = 0; a < L::n_args; a++)
        n += L::about[a].map[0] && adds_by(L::about[a].access);
    return n;
}

/* Numbers that an element reads through maps. */
template <class L> constexpr int find_gathered_numbers()
{
    int n = 0;
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && L::about[a].access == MPLAN_READ)
            n += L::about[a].arity * L::about[a].dim;
    return n;
}

/* The same as constants, which device code may name. */
template <class L, int A> constexpr int map_of = find_map_of<L>(A);
template <class L, int A> constexpr bool incremented_map = find_incremented_map<L>(A);
template <class L, int A> constexpr bool mapped_arg = find_mapped_arg<L>(A);
template <class L, int A> constexpr int64_t member_bytes = find_member_bytes<L>(A);
template <class L, int A> constexpr bool is_global = L::about[A].global;
template <class L, int A> constexpr bool is_ragged = L::about[A].ragged;
template <int access> constexpr bool writes_points = writes_by(access);
template <class L, int A> constexpr int arity_of = L::about[A].arity;
template <class L, int A> constexpr int access_of = L::about[A].access;
template <class L, int A> constexpr bool is_increment = mapped_arg<L, A> &&adds<access_of<L, A>>;
template <class L> constexpr int max_arity = find_max_arity<L>();
template <class L> constexpr int first_increment = find_first_increment<L>();
template <class L> constexpr bool pairwise = find_pairwise<L>();
template <class L> constexpr bool reads_incremented_points = find_reads_incremented_points<L>();
template <class L> constexpr bool writes_directly = find_writes_directly<L>();
template <class L> constexpr int gathered_numbers = find_gathered_numbers<L>();
template <class L> constexpr int n_increments = find_n_increments<L>();
template <class L> constexpr bool one_increment_map = find_one_increment_map<L>();

/* --- what is known when kernels are compiled --------------------------------------- */

/* A kernel that asks for every number where it is waits for one load before it can
 * start the next. So each loop is compiled for the ways in which plans lay out dats,
 * for maps whose every slot has a point, and once for everything. */
enum known_layouts {
    UNKNOWN_LAYOUTS,  /* any layout of each dat, slots without a point */
    STRUCTURES,       /* all dats AoS */
    BLOCK_LAYOUTS,    /* SoA: increments, and direct dats other than of three numbers */
    GATHERED_LAYOUTS, /* SoA: the same, and long rows that are gathered (gathered_by_components) */
    OWNER_LAYOUTS,    /* SoA: increments */
    COMPONENTS        /* all dats SoA; compiled with MPLAN_KERNELS_BY_COMPONENT only */
};
template <class L, known_layouts known> struct with_layouts : L {
    static constexpr known_layouts layouts = known;
    static constexpr bool complete = known != UNKNOWN_LAYOUTS;
};

/* Bytes that a loop reads of a point in all. */
template <class L> constexpr int64_t find_gathered_bytes()
{
    int64_t bytes = 0;
    for (int a = 0; a < L::n_args; a++)
        if (L::about[a].map[0] && L::about[a].access == MPLAN_READ)
            bytes += find_member_bytes<L>(a);
    return bytes;
}
/* Rows that plans lay out by components where blocks gather them (pipeline/layouts.c): of more than a sector,
 * not made of whole vectors of 16 bytes, of loops that read at most a line of a point. */
enum { GATHERED_SECTOR = 32, GATHERED_VECTOR = 16, GATHERED_LINE = 128 };
template <class L> constexpr bool gathered_by_components(int arg)
{
    return L::about[arg].map[0] && L::about[arg].access == MPLAN_READ &&
           find_member_bytes<L>(arg) > GATHERED_SECTOR &&
           find_member_bytes<L>(arg) % GATHERED_VECTOR != 0 &&
           find_gathered_bytes<L>() <= GATHERED_LINE;
}
/* Whether GATHERED_LAYOUTS differ from BLOCK_LAYOUTS. */
template <class L> constexpr bool find_gathers_components()
{
    for (int a = 0; a < L::n_args; a++)
        if (gathered_by_components<L>(a))
            return true;
    return false;
}
template <class L> constexpr bool gathers_components = find_gathers_components<L>();

enum arg_layout { AOS, SOA, EITHER };
/* The layout of an arg as far as it is known when the kernel is compiled: AOS or SOA, else
 * EITHER, which asks the call at run time. Dats of one number are the same in both. */
template <class L> constexpr arg_layout find_layout(int arg, known_layouts known)
{
    const mplan_kernel_arg &about = L::about[arg];
    if (about.dim == 1 || about.global)
        return AOS; /* which is SoA as well */
    if (known == UNKNOWN_LAYOUTS)
        return EITHER;
    if (known == STRUCTURES || known == COMPONENTS)
        return known == STRUCTURES ? AOS : SOA;
    if (about.map[0])
        return adds_by(about.access) || (known == GATHERED_LAYOUTS && gathered_by_components<L>(arg))
                   ? SOA
                   : AOS;
    return known != OWNER_LAYOUTS && about.dim != 3 ? SOA : AOS;
}
template <class L, int A> constexpr arg_layout layout_of = find_layout<L>(A, L::layouts);

/* The kernels that a call may use. */
template <class L> known_layouts layouts_of_call(const mplan_launch_call &call)
{
    for (known_layouts known :
         {OWNER_LAYOUTS, BLOCK_LAYOUTS, GATHERED_LAYOUTS, STRUCTURES, COMPONENTS}) {
        bool fits = call.complete;
        for (int a = 0; a < L::n_args; a++)
            fits = fits && (L::about[a].dim == 1 || L::about[a].global ||
                            (find_layout<L>(a, known) == SOA) == (call.arg[a].stride != 0));
        if (fits)
            return known;
    }
    return UNKNOWN_LAYOUTS;
}

/* Whether a slot has a point. */
template <class L> MPLAN_INLINE bool has_point(int id)
{
    return L::complete || id >= 0;
}

} // namespace mplan

#endif
