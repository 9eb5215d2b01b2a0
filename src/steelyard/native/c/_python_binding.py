"""The C side of a call from Python. What it declares is CPython's stable interface, so it needs no header of it."""

from steelyard.native.c._emit import Code

PRELUDE = "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n"

_DECLARATIONS = """
typedef struct {
    void *buf; void *obj; ptrdiff_t len; ptrdiff_t itemsize; int readonly; int ndim;
    char *format; ptrdiff_t *shape; ptrdiff_t *strides; ptrdiff_t *suboffsets; void *internal;
} View;
extern int PyObject_GetBuffer(void *, View *, int);
extern void PyBuffer_Release(View *);
extern void PyErr_SetString(void *, const char *);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *);
extern void *Py_BuildValue(const char *, ...);
extern void *PyExc_ValueError;

/* A vector of numbers, row by row; of `bytes` bytes, or of any whole number of them where `many`. */
static int take(void *object, View *view, int writable, ptrdiff_t bytes, int many)
{
    if (PyObject_GetBuffer(object, view, 4 | writable) != 0) return 0;
    if (view->format && view->format[0] == FORMAT && !view->format[1]
        && (many ? view->len % (bytes ? bytes : 1) == 0 : view->len == bytes)) return 1;
    PyBuffer_Release(view);
    PyErr_SetString(PyExc_ValueError, "a vector of a step has another length or type than its example");
    return 0;
}
"""

_CALL = """
__attribute__((visibility("default"))) void *call(void *self, void *const *args, ptrdiff_t count);
void *call(void *self, void *const *args, ptrdiff_t count)
{{
    static const ptrdiff_t bytes[{vectors}] = {{{sizes}}};
    View views[{vectors}];
    int held = 0;
    (void)self;
    if (count != {vectors}) {{
        PyErr_SetString(PyExc_ValueError, "a step takes {vectors} vectors, the last one for its result");
        return NULL;
    }}
    while (held < {vectors} && take(args[held], &views[held], held == {vectors} - 1, bytes[held], 0)) ++held;
    count = held;
    if (held == {vectors}) {name}({pointers});
    while (held > 0) PyBuffer_Release(&views[--held]);
    return count == {vectors} ? Py_BuildValue("") : NULL;
}}
"""

_RUN = """
__attribute__((visibility("default"))) void *run(void *self, void *const *args, ptrdiff_t count);
void *run(void *self, void *const *args, ptrdiff_t count)
{{
    View state, samples, states;
    ptrdiff_t row, rows;
    void *thread;
    int done = 0;
    (void)self;
    if (count != 3) {{
        PyErr_SetString(PyExc_ValueError, "a run takes the state, the samples, and room for what it keeps");
        return NULL;
    }}
    if (!take(args[0], &state, 1, {state_bytes}, 0)) return NULL;
    if (take(args[1], &samples, 0, {sample_bytes}, 1)) {{
        rows = samples.len / {sample_bytes};
        if (take(args[2], &states, 1, {state_bytes}, 1)) {{
            if (states.len == 0 || states.len == rows * {state_bytes}) {{
                thread = PyEval_SaveThread();
                for (row = 0; row < rows; ++row) {{
                    {real} *const now = ({real} *)state.buf;
                    {name}(now, (const {real} *)samples.buf + row * {sample_size}, now);
                    if (states.len) memcpy(({real} *)states.buf + row * {state_size}, now, {state_bytes});
                }}
                PyEval_RestoreThread(thread);
                done = 1;
            }} else {{
                PyErr_SetString(PyExc_ValueError, "the room for what a run keeps has another number of rows");
            }}
            PyBuffer_Release(&states);
        }}
        PyBuffer_Release(&samples);
    }}
    PyBuffer_Release(&state);
    return done ? Py_BuildValue("") : NULL;
}}
"""


def can_run(code: Code) -> bool:
    """Whether the step takes a state and a sample, and gives the next state: then it can run over many rows."""
    if len(code.arguments) != 2 or not code.arguments[1].size or not code.result.size:
        return False
    before, after = code.arguments[0].leaves, code.result.leaves
    return [(leaf.shape, leaf.dtype) for leaf in before] == [(leaf.shape, leaf.dtype) for leaf in after]


def library_source(code: Code) -> str:
    """The source of a shared library: the step, and what Python calls."""
    item = 4 if code.single else 8
    layouts = (*code.arguments, code.result)
    pointers = ", ".join(f"({'' if k == len(layouts) - 1 else 'const '}{code.real} *)views[{k}].buf"
                         for k in range(len(layouts)))  # fmt: skip
    parts = [
        PRELUDE,
        "#include <string.h>\n",
        f"#define FORMAT '{'f' if code.single else 'd'}'\n\n",
        code.body.replace(code.signature, f"static {code.signature}"),
        "\n",
        _DECLARATIONS,
        _CALL.format(
            name=code.name,
            vectors=len(layouts),
            sizes=", ".join(str(item * layout.size) for layout in layouts),
            pointers=pointers,
        ),
    ]
    if can_run(code):
        state, sample = code.arguments
        parts.append(
            _RUN.format(
                name=code.name,
                real=code.real,
                state_size=state.size,
                sample_size=sample.size,
                state_bytes=item * state.size,
                sample_bytes=item * sample.size,
            )
        )
    return "".join(parts)
