"""Standard normals in C99 and CUDA: the counter-based generator Philox 4x32-10, [philox], and Box-Muller.

A draw depends on the seed, the flight, the row and its place in the row only: any number of threads, in any order, on
any machine, draws the same.
"""

_DRAW = """
static void philox(uint32_t c[4], uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = (uint64_t)0xD2511F53U * c[0], b = (uint64_t)0xCD9E8D57U * c[2];
        const uint32_t c1 = c[1], c3 = c[3];
        c[0] = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c[3] = (uint32_t)a;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
}

/* Four standard normals; none is beyond 6.8, the end of what 32 bits of a uniform number reach. */
static void normals(REAL out[4], uint64_t seed, uint64_t flight, uint32_t row, uint32_t place)
{
    uint32_t c[4] = {(uint32_t)flight, (uint32_t)(flight >> 32), row, place};
    philox(c, (uint32_t)seed, (uint32_t)(seed >> 32));
    for (int pair = 0; pair < 4; pair += 2) {
        const REAL radius = SQRT((REAL)-2 * LOG(((REAL)c[pair] + (REAL)0.5) * (REAL)2.3283064365386963e-10));
        const REAL angle = (REAL)1.4629180792671596e-9 * ((REAL)c[pair + 1] + (REAL)0.5);
        out[pair] = radius * COS(angle);
        out[pair + 1] = radius * SIN(angle);
    }
}
"""


def normals_source(single: bool, function: str = "static") -> str:
    """The functions; `function` is what stands before each."""
    end = "f" if single else ""
    names = "".join(f"#define {name.upper()} {name}{end}\n" for name in ("sqrt", "log", "cos", "sin"))
    return (
        f"\n#define REAL {'float' if single else 'double'}\n{names}{_DRAW.replace('static void', f'{function} void')}"
    )


def draw_lines(into: str, size: int, indent: str, flight: str, row: str) -> list[str]:
    """Fills a vector with standard normals."""
    lines = [f"{indent}{{", f"{indent}    REAL four[4];"]
    for place in range(0, size, 4):
        lines.append(f"{indent}    normals(four, seed, (uint64_t){flight}, (uint32_t){row}, {place}U);")
        lines += [f"{indent}    {into}[{place + k}] = four[{k}];" for k in range(min(4, size - place))]
    return [*lines, f"{indent}}}"]
