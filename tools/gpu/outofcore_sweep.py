# SPDX-License-Identifier: Apache-2.0
"""Sweeps of steps a visit for tools/gpu/outofcore: rows by name, the model by measured rates, a table and a plot.

The model is that of src/pipeline/visit_choice.c, but with what was measured: the time of a step in memory by the same plan, the rate of the link
and the time of a launch (a profile of `meshplan device`, or what is assumed where there is none)."""
import math

# Application, mesh, part of the data that the device may hold, steps of a visit, segments (None: chosen). 16 cores plan 64 million
# quads in about a minute with a limit; the rows of 250 million and more need a machine that plans them in less than 6.
ROWS = {
    "airfoil64": ("airfoil", "naca0012:12000x5328", 0.25, "4,8,16,32,64,128", None),
    "airfoil64-tenth": ("airfoil", "naca0012:12000x5328", 0.1, "4,8,16,32", None),
    "airfoil64-fused": ("airfoil_fused", "naca0012:12000x5328", 0.25, "8,16,32", None),
    "airfoil64-segments": ("airfoil", "naca0012:12000x5328", 0.25, "32", "4,8,16,32"),
    "hexes64": ("flux3d_step", "hex:400x400x400", 0.25, "4,8,16,20,24,28,32", None),
    "tets60": ("flux3d_step", "tet:216x216x216", 0.25, "4,8,16,32,64,128", None),
    "jacobi64": ("jacobi", "hex:400x400x400", 0.25, "4,8,16,20,24,28,32", None),
    "himeno64": ("himeno", "hex:400x400x400", 0.25, "4,8,16,32,64,128,256", None),
    "himeno64-long": ("himeno", "hex:1200x232x232", 0.25, "24,32,48,64", None),  # a cube of 64 million fits a quarter with 16 steps only
    "cip64": ("cip", "quad:8000x8000", 0.25, "4,8,16,32,64,128,256", None),
    "airfoil250": ("airfoil", "naca0012:24000x10656", 0.25, "16,32,64", None),
    "hexes262": ("flux3d_step", "hex:640x640x640", 0.25, "16,32,64", None),
    "test": ("airfoil", "naca0012:900x24", 1.3, "1,2,4,8", None),  # for executors of the host: seconds
}
BESIDE = 0.1  # seconds by which kernels are slower for each second in which the link moves bytes
LINK, LAUNCH = 50.7e9, 6e-6  # both ways and of a launch, where no profile says more


def read_profile(path):
    """link, link_both and launch of a file that `meshplan device -o` wrote."""
    values = {}
    with open(path) as lines:
        for line in lines:
            key, _, value = line.partition("#")[0].partition(":")
            values[key.strip()] = value.strip()
    link = float(values.get("link", LINK))
    return (link, float(values.get("link_both", link))), float(values.get("launch", LAUNCH))


def link_seconds(row, link):
    """What the link needs for a visit: bytes by the rate of one way where at most half as many go back, of both where as many do, and between."""
    least, most = sorted((row["in_bytes"], row["out_bytes"]))
    beyond = max(0, 2 * least - most) / most if most else 0
    return most * ((1 - beyond) / link[0] + beyond / link[1])


def model(row, link, launch):
    """Microseconds of a step: what runs, and what goes in and out, whichever takes longer; and the stages in which a visit only waits.
    None without the time in memory."""
    step, k = row.get("in_memory_microseconds"), row.get("steps_per_visit")
    if not step or not k:
        return None
    moves = link_seconds(row, link)
    work = k * step * 1e-6 + BESIDE * moves
    runs = work + row["launches"] * launch
    waits = (row["period"] - row["segments"]) / row["segments"]
    if row.get("launch_streams") == 2 and runs > moves:  # while nothing comes in, launches of both halves run beside each other
        both = (runs - moves) * (1 - 1 / row["segments"] if waits else 1)
        runs += both * (max(work / runs, 0.5) - 1)
    return 1e6 * (max(runs, moves) + moves * waits) / k


def crossing(rows, link, launch):
    """The number of steps at which the link needs as long as the launches; from the row with fewest segments."""
    timed = [row for row in rows if row.get("in_memory_microseconds")]
    if not timed:
        return None
    row = min(timed, key=lambda one: one["segments"])
    step = row["in_memory_microseconds"] * 1e-6 + row["launches"] * launch / row["steps_per_visit"]
    return link_seconds(row, link) / step


def table(rows, fast, link, launch, rate):
    """Lines of a table; rate: GFLOPS of a row. fast: microseconds in memory, in the order that suits it; None: not measured."""
    def text(value, form="%.1f"):
        return "-" if value is None else form % value

    yield "| k | S | slabs | window MiB | in GiB | model us | measured us | measured / model | of same | of fast | GFLOPS | bits |"
    yield "|" + "---|" * 12
    for row in rows:
        took, due, same = row.get("microseconds"), model(row, link, launch), row.get("in_memory_microseconds")
        yield "| %d | %d | %d | %.0f | %.2f | %s | %s | %s | %s | %s | %s | %s |" % (
            row["steps_per_visit"], row["segments"], row["slabs"], row["peak_bytes"] / 2**20, row["in_bytes"] / 2**30, text(due), text(took),
            text(took / due if took and due else None, "%.3f"), text(took / same if took and same else None, "%.3f"),
            text(took / fast if took and fast else None, "%.3f"), text(rate(row), "%.0f"),
            {True: "equal", False: "DIFFER"}.get(row.get("same_in_memory"), "not compared"))


def poly(points, place, style):
    return '<polyline fill="none" %s points="%s"/>' % (style, " ".join("%.1f,%.1f" % place(x, y) for x, y in points))


def panel(left, title, unit, curves, levels, cross):
    """One picture of numbers over steps a visit, whose axis is logarithmic. curves: (label, points, style, dots); levels: (label, y)."""
    wide, high, top = 380, 280, 40
    points = [p for _, some, _, _ in curves for p in some]
    xs = [x for x, _ in points] + ([cross] if cross and cross > 0 else [])
    low, far = math.log2(min(xs)) - 0.25, math.log2(max(xs)) + 0.25
    most = 1.08 * max([y for _, y in points] + [y for _, y in levels])

    def place(x, y):
        return left + wide * (math.log2(x) - low) / (far - low), top + high * (1 - y / most)

    out = ['<text x="%d" y="24" font-weight="bold">%s</text>' % (left, title),
           '<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888"/>' % (left, top, wide, high)]
    for e in range(math.ceil(low), math.floor(far) + 1):
        x = place(2.0**e, 0)[0]
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%g</text>' % (x, top + high + 16, 2.0**e))
    out.append('<text x="%d" y="%d" text-anchor="middle">steps a visit</text>' % (left + wide // 2, top + high + 34))
    for part in range(5):
        y = most * part / 4.32
        out.append('<text x="%d" y="%.1f" text-anchor="end">%.3g</text>' % (left - 6, place(1, y)[1] + 4, y))
    out.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (left - 6, top - 8, unit))
    for label, y in levels:
        out.append(poly([(2**low, y), (2**far, y)], place, 'stroke="#2a2" stroke-dasharray="2 3"'))
        out.append('<text x="%d" y="%.1f" text-anchor="end" fill="#282">%s</text>' % (left + wide - 4, place(1, y)[1] - 4, label))
    if cross and cross > 0:
        x = place(cross, 0)[0]
        out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#999"/>' % (x, x, top, top + high))
        out.append('<text x="%.1f" y="%d" fill="#666">link = launches: %.1f</text>' % (x + 4, top + 14, cross))
    for n, (label, some, style, dots) in enumerate(curves):
        out.append(poly(some, place, style))
        out += ['<circle cx="%.1f" cy="%.1f" r="3.5" fill="#c33"/>' % place(x, y) for x, y in some if dots]
        out.append('<text x="%d" y="%d" fill="%s">%s</text>' % (left + 8, top + 32 + 16 * n, "#c33" if dots else "#36c", label))
    return out


def picture(title, rows, fast, link, launch, rate):
    """An SVG file: time and GFLOPS over steps a visit, measured and by the model, in memory as lines; "" without times. Of several rows of as many
    steps the fastest is shown."""
    best = {}
    for row in rows:
        k = row["steps_per_visit"]
        if row.get("microseconds") and (k not in best or row["microseconds"] < best[k]["microseconds"]):
            best[k] = row
    if not best:
        return ""
    some = [best[k] for k in sorted(best)]
    due = [(row["steps_per_visit"], model(row, link, launch)) for row in some if model(row, link, launch)]
    took = [(row["steps_per_visit"], row["microseconds"]) for row in some]
    flops = [(row["steps_per_visit"], rate(row)) for row in some if rate(row)]
    operations = flops[0][1] * took[0][1] if flops else 0
    same = some[0].get("in_memory_microseconds")
    levels = [(label, value) for label, value in (("in memory, same plan", same), ("in memory, fastest", fast)) if value]
    cross = crossing(rows, link, launch)
    blue, red = 'stroke="#36c" stroke-dasharray="6 3"', 'stroke="#c33"'
    out = panel(70, title + ": time of a step", "us", [("model", due, blue, False)] * bool(due) + [("measured", took, red, True)], levels, cross)
    if flops:
        out += panel(550, title + ": speed", "GFLOPS",
                     [("model", [(k, operations / us) for k, us in due], blue, False)] * bool(due) + [("measured", flops, red, True)],
                     [(label, operations / value) for label, value in levels], cross)
    return '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="370" font-family="sans-serif" font-size="12">\n%s\n</svg>\n' % (
        "\n".join(out))
