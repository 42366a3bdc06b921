/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.c - files of formats that nobody here reads, by marks in their first bytes or by their endings
 *
 * A format that gets a reader loses its lines here. */
#include "formats/foreign.h"

#include <string.h>

#include "formats/input.h"

enum {
    LOOK_LINES = 1 << 14, /* bytes in which lines are looked at */
    LOOK_WORDS = 1 << 20  /* bytes of a binary file in which names are looked for */
};

/* Where a mark is: at the start, at the beginning of a line (blanks before it, case and an XML head aside), or
 * anywhere. */
typedef enum place { AT_START, AT_LINE, ANYWHERE } place;

typedef struct mark {
    mplan_foreign known;
    place where;
    const char *text;
    size_t length;
} mark;

#define TEXT(text) (text), sizeof(text) - 1
#define MESHIO "'meshio convert' (Python package meshio) writes it as .vtu"

/* Those that tell more come before those that tell less. */
static const mark marks[] = {
    {{"an HDF5 file of another format", NULL}, AT_START, TEXT("\x89HDF\r\n\x1a\n")},
    {{"a netCDF file, neither UGRID, Exodus II, MPAS, ICON nor FESOM2", NULL},
     AT_START,
     TEXT("CDF\x01")},
    {{"a netCDF file, neither UGRID, Exodus II, MPAS, ICON nor FESOM2", NULL},
     AT_START,
     TEXT("CDF\x02")},
    {{"a netCDF file, neither UGRID, Exodus II, MPAS, ICON nor FESOM2", NULL},
     AT_START,
     TEXT("CDF\x05")},
    {{"a DOLFIN XML file", MESHIO}, AT_LINE, TEXT("<dolfin")},
    {{"an LS-DYNA deck", "LS-PrePost exports it as Nastran or Abaqus for 'meshio convert'"},
     AT_LINE,
     TEXT("*keyword")},
    {{"a Radioss deck", "HyperMesh exports it as Nastran or Abaqus"},
     AT_LINE,
     TEXT("#radioss starter")},
    {{"a Kratos model part (.mdpa)", MESHIO}, AT_LINE, TEXT("begin modelpartdata")},
    {{"a Kratos model part (.mdpa)", MESHIO}, AT_LINE, TEXT("begin nodes")},
    {{"a PERMAS deck", MESHIO}, AT_LINE, TEXT("$enter component")},
    {{"a FLAC3D grid", MESHIO}, AT_LINE, TEXT("* gridpoints")},
    {{"a Diffpack grid", NULL}, AT_LINE, TEXT("finite element mesh (gridfe)")},
    {{"a GiD mesh", NULL}, AT_LINE, TEXT("mesh dimension")},
    {{"a COMSOL mesh (.mphtxt)", "COMSOL exports it as Nastran"}, AT_LINE, TEXT("# created by comsol")},
    {{"a CalculiX result (.frd)", "its deck (.inp) is read"}, AT_START, TEXT("    1C")},
    {{"an X3D scene", "as STL, PLY or OBJ its surface is read"}, AT_LINE, TEXT("<x3d")},
    {{"a GAMBIT neutral file", "OpenFOAM's gambitToFoam makes a case of it"},
     AT_LINE,
     TEXT("control info")},
    {{"an Ansys archive (.cdb)", MESHIO}, AT_LINE, TEXT("/prep7")},
    {{"an Ansys archive (.cdb)", MESHIO}, AT_LINE, TEXT("nblock,")},
    {{"a libMesh mesh", "libMesh's program meshtool -i FILE -o x.e writes it as Exodus II"},
     AT_START,
     TEXT("DEAL ")},
    {{"an OFF surface", MESHIO}, AT_START, TEXT("OFF\n")},
    {{"an OFF surface", MESHIO}, AT_START, TEXT("OFF\r")},
    {{"an OFF surface", MESHIO}, AT_START, TEXT("OFF ")},
    {{"a Tecplot file", MESHIO}, AT_LINE, TEXT("variables =")},
    {{"a Tecplot file", MESHIO}, AT_LINE, TEXT("variables=")},
    {{"a Tecplot file", "ParaView reads it and saves .vtu"}, AT_START, TEXT("#!TDV")},
    {{"a geometry in the STEP format", "'gmsh FILE -3 -o x.msh' makes a mesh of it"},
     AT_START,
     TEXT("ISO-10303-21")},
    {{"a geometry in the BREP format", "'gmsh FILE -3 -o x.msh' makes a mesh of it"},
     AT_LINE,
     TEXT("dbrep_drawableshape")},
    {{"a geometry in the BREP format", "'gmsh FILE -3 -o x.msh' makes a mesh of it"},
     AT_LINE,
     TEXT("cascade topology")},
    {{"a geometry script of Gmsh", "'gmsh FILE -3 -o x.msh' makes a mesh of it"},
     AT_LINE,
     TEXT("setfactory(")},
    {{"a VRML scene", "as STL, PLY or OBJ its surface is read"}, AT_START, TEXT("#VRML")},
    {{"a STAR-CD file", "OpenFOAM's star4ToFoam makes a case of it"}, AT_LINE, TEXT("proam_")},
    {{"an EnSight file", "ParaView reads it and saves .vtu"}, AT_LINE, TEXT("ensight gold")},
    {{"an ElmerGrid command file", "ElmerGrid 1 2 FILE makes a folder of it, which is read"},
     AT_LINE,
     TEXT("elmergrid")},
    {{"compressed by bzip2", "'bunzip2' unpacks it"}, AT_START, TEXT("BZh")},
    {{"compressed by xz", "'unxz' unpacks it"},
     AT_START,
     "\xfd"
     "7zXZ",
     5},
    {{"compressed by zstd", "'unzstd' unpacks it"}, AT_START, TEXT("\x28\xb5\x2f\xfd")},
    {{"a ZIP archive", "'unzip' unpacks it"}, AT_START, TEXT("PK\x03\x04")},
};

/* Endings between blanks; `numbers`: only of files that begin with a number. */
typedef struct ending {
    mplan_foreign known;
    bool numbers;
    const char *endings;
} ending;

static const ending endings[] = {
    {{"a file beside a mesh of TetGen or Triangle", "its .ele or .node is read"},
     true,
     " .neigh .poly .smesh "},
    {{"a STAR-CD mesh", "OpenFOAM's star4ToFoam makes a case of it"}, true, " .cel .vrt .bnd "},
    {{"a SCOTCH mesh or another mesh of bare numbers", NULL}, true, " .msh "},
    {{"an AVS UCD file", MESHIO}, true, " .inp .ucd .avs "},
    {{"a geometry script of Gmsh", "'gmsh FILE -3 -o x.msh' makes a mesh of it"}, false, " .geo "},
    {{"a geometry in the IGES format", "'gmsh FILE -3 -o x.msh' makes a mesh of it"},
     false,
     " .igs .iges "},
    {{"a PLY2 surface", "as PLY, STL or OBJ it is read"}, true, " .ply2 "},
    {{"a Code_Aster mesh (.mail)", "Code_Aster writes it as MED, which is read"}, false, " .mail "},
    {{"a PLOT3D grid", "plot3d_to_cgns of the CGNS tools writes it as CGNS"}, false, " .p3d .xyz .p2d "},
};
#undef TEXT

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* text: small letters. */
static bool begins_folded(const char *at, const char *end, const mark *m)
{
    if ((size_t)(end - at) < m->length)
        return false;
    for (size_t i = 0; i < m->length; i++)
        if (lower(at[i]) != m->text[i])
            return false;
    return true;
}

/* At the beginning of a line, or behind <?xml ...?> on it. */
static bool on_a_line(const char *text, size_t size, const mark *m)
{
    const char *end = text + (size < LOOK_LINES ? size : LOOK_LINES);
    for (const char *at = text; at < end;) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
        if (begins_folded(at, end, m))
            return true;
        const char *next = memchr(at, '\n', (size_t)(end - at));
        const char *head = end - at > 2 && at[0] == '<' && at[1] == '?'
                               ? memchr(at, '>', (size_t)(end - at))
                               : NULL;
        if (head && (!next || head < next))
            next = head;
        at = next ? next + 1 : end;
    }
    return false;
}

/* Whether the mark is among the first LOOK_WORDS bytes. */
static bool anywhere(const char *text, size_t size, const mark *m)
{
    const char *end = text + (size < LOOK_WORDS ? size : LOOK_WORDS);
    for (const char *at = text; (size_t)(end - at) >= m->length; at++) {
        at = memchr(at, m->text[0], (size_t)(end - at) - m->length + 1);
        if (!at)
            return false;
        if (memcmp(at, m->text, m->length) == 0)
            return true;
    }
    return false;
}

/* Marks of binary files are only looked for behind HDF5's first byte. */
static bool has_mark(const mplan_input *input, const mark *m)
{
    const char *text = (const char *)input->data;
    switch (m->where) {
    case AT_START: return input->size >= m->length && memcmp(text, m->text, m->length) == 0;
    case AT_LINE: return on_a_line(text, input->size, m);
    case ANYWHERE: return input->data[0] == 0x89 && anywhere(text, input->size, m);
    }
    return false;
}

/* What files of that ending are. Endings are between blanks in one text; `numbers`: also those of formats that are bare numbers. */
static const mplan_foreign *by_ending(const mplan_input *input, bool numbers)
{
    size_t length;
    char word[16];
    const char *extension = mplan_input_extension(input->path, &length);
    if (length == 0 || length + 3 > sizeof word)
        return NULL;
    word[0] = word[length + 1] = ' ';
    word[length + 2] = '\0';
    for (size_t i = 0; i < length; i++)
        word[i + 1] = lower(extension[i]);
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
        if ((numbers || !endings[e].numbers) && strstr(endings[e].endings, word))
            return &endings[e].known;
    return NULL;
}

/* First marks at fixed places, which are sure; then the ending, which counts only together with
 * the look of the first 512 bytes. NULL: not a format that is known by name. */
const mplan_foreign *mplan_foreign_find(const mplan_input *input)
{
    if (!input->data || input->size == 0)
        return NULL;
    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
        if (has_mark(input, &marks[m]))
            return &marks[m].known;
    size_t at = 0;
    bool text = true;
    for (size_t i = 0; i < input->size && i < 512; i++)
        text = text && input->data[i] != 0;
    while (at < input->size &&
           (input->data[at] == ' ' || input->data[at] == '\t' || input->data[at] == '#'))
        at++;
    bool numbers = text && at < input->size &&
                   ((input->data[at] >= '0' && input->data[at] <= '9') || input->data[0] == '#');
    return by_ending(input, numbers);
}
