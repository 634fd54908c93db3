"""Where the faults go into the crates of 0.8.0: short anchors, each found once, and what stands there instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

PLANT = "tenferro_tensor::plant"
RELEASE = "0.8.0"


@dataclass(frozen=True)
class Edit:
    """One place in one file of a crate. times: how often the anchor stands there, all of them replaced."""

    crate: str
    file: str
    anchor: str
    replacement: str
    times: int = 1


def sites() -> tuple[Edit, ...]:
    """The places that results come by, each with its site's name."""
    return (*_tensor(), *_engine(), *_linalg(), *_surfaces(), *_caches())


def _tensor() -> Iterator[Edit]:
    yield Edit("tenferro-tensor", "src/lib.rs", "pub mod prelude;", "#[doc(hidden)]\npub mod plant;\npub mod prelude;")


def _engine() -> Iterator[Edit]:
    """The CPU engine: elementwise by the methods' names, then what is not delegated."""
    here = ("tenferro-cpu", "src/exec_session.rs")
    called = "self.run_native_with_exec(|exec, buffers| $callee(buffers, $($arg),*, exec))"
    yield Edit(*here, called, f"{called}.map(|found| {PLANT}::tensor(stringify!($name), found))")
    yield _after(*here, "elementwise::add_read_with_pool(buffers, lhs, rhs, exec)", "add_read")
    entered = 'self.check_entry("CpuEngine")?;\n        let (exec, buffers, '
    yield Edit(*here, entered, f"{PLANT}::width(self.num_threads());\n        {entered}", times=2)
    contracted = 'self.check_entry("dot_general")?;\n'
    yield Edit(*here, contracted, f"{PLANT}::width(self.num_threads());\n        {contracted}")
    for name in ("reduce_sum", "reduce_sum_squares", "reduce_prod", "reduce_max", "reduce_min"):
        yield _after(*here, f"reduction::{name}_read(buffers, input, axes, exec)", name)
    yield _after(*here, "structural::transpose_read_with_pool(buffers, input, perm, exec)", "transpose")
    gathered = "indexing::gather_read_with_pool(buffers, cache, operand, start_indices, config, exec)"
    yield _after(*here, gathered, "gather")
    scattered = "buffers, cache, operand, indices, updates, config, exec,\n            )"
    yield _after(*here, scattered, "scatter")
    updated = "buffers, cache, operand, update, starts, exec,\n            )"
    yield _after(*here, updated, "dynamic_update_slice")
    softened = "softmax::softmax_read_with_pool(buffers, input, axis, exec)"
    yield Edit(*here, softened, _inside(softened, "softmax"))
    activated = "activation::fused_activation_read_with_pool(buffers, op, input, exec)"
    yield Edit(*here, activated, _inside(activated, "activation"))
    yield Edit(*here, "    fn execute_dot_allocated(\n", DOT)


def _after(crate: str, file: str, call: str, site: str) -> Edit:
    return Edit(crate, file, call, f'{call}.map(|found| {PLANT}::tensor("{site}", found))')


def _inside(call: str, site: str) -> str:
    return f'{call}.map(|found| found.map(|one| {PLANT}::tensor("{site}", one)))'


DOT = f"""    fn execute_dot_allocated(
        &mut self,
        slot: Option<usize>,
        lhs: TensorRead<'_>,
        rhs: TensorRead<'_>,
        config: &DotGeneralConfig,
        lhs_conj: bool,
        rhs_conj: bool,
    ) -> crate::Result<Tensor> {{
        self.execute_dot_clean(slot, lhs, rhs, config, lhs_conj, rhs_conj)
            .map(|found| {PLANT}::tensor("dot", found))
    }}

    fn execute_dot_clean(
"""


def _linalg() -> Iterator[Edit]:
    """The decompositions: each is entered by a view, by a copy, and by an owned tensor."""
    here = ("tenferro-linalg", "src/cpu/backend.rs")
    for name in ("svd", "qr", "eigh", "lu"):
        yield from _entries(*here, name, f'.map(|found| {PLANT}::tensors("{name}", found))')
        yield _owned(*here, name, f'.map(|found| {PLANT}::tensors("{name}", found))')
    for name in ("svd_values", "eigh_values", "cholesky"):
        yield from _entries(*here, name, f'.map(|found| {PLANT}::tensor("{name}", found))')
    for name in ("svd_values", "eigh_values"):
        yield _owned(*here, name, f'.map(|found| {PLANT}::tensor("{name}", found))')
    solved = "solve_from_views_entered(exec, buffers, a.tensor_view(), b.tensor_view())"
    yield _after(*here, solved, "solve")
    entered = "self.with_linalg_pool(move |exec, buffers| {\n            #[cfg(feature"
    yield Edit(*here, entered, f"{PLANT}::width(self.num_threads());\n        {entered}")


def _entries(crate: str, file: str, name: str, after: str) -> Iterator[Edit]:
    view = f"return {name}_faer_view_entered(exec, buffers, input.tensor_view())"
    copy = f"|input, buffers, exec| {name}_entered(exec, buffers, input)"
    yield Edit(crate, file, f"{view};", f"{view}{after};")
    yield Edit(crate, file, f"{copy},", f"{copy}{after},")


def _owned(crate: str, file: str, name: str, after: str) -> Edit:
    called = f"self.with_linalg_pool_checked(|exec, buffers| {name}_entered(exec, buffers, input))"
    return Edit(crate, file, called, f"{called}{after}")


def _surfaces() -> Iterator[Edit]:
    """What only one surface comes by: the compiled program's dispatch, the eager one's, a concrete method."""
    traced = "(entry.execute)(exec, slots, inst)\n}\n\npub(super) fn execute_host_dispatch"
    after = f'.map(|found| {PLANT}::named("traced", &inst.op, found))'
    yield Edit("tenferro-runtime", "src/exec/dispatch.rs", traced, traced.replace("inst)\n}", f"inst){after}\n}}"))
    eager = "    Ok(result)\n}\n\npub(crate) fn exec_standard_op_on_tensors_in_session"
    named = f'    let result = result.into_iter().map(|found| {PLANT}::named("eager", op, found)).collect();\n'
    yield Edit("tenferro-ad", "src/eager_exec.rs", eager, named + eager)
    for name in ("sin", "log1p"):
        concrete = f"session.{name}_read(TensorRead::from_tensor(self))"
        yield _after("tenferro-runtime", "src/tensor.rs", concrete, f"concrete-{name}")
    einsum = "crate::eager::eager_einsum_exec_read(ctx.backend_mut(), inputs, &tree)?"
    replacement = f'{PLANT}::tensor("einsum", {einsum})'
    yield Edit("tenferro-einsum", "src/extension.rs", einsum, replacement)


def _caches() -> Iterator[Edit]:
    """State that is used again: a prepared program's second run, a derivative program found in the cache."""
    run = "super::execution::run(self, engines, prepared, inputs)"
    told = f"{PLANT}::again({PLANT}::seen(std::ptr::from_ref(prepared) as usize));"
    yield Edit("tenferro-runtime", "src/runtime/snapshot.rs", run, f"{told}\n        {run}")
    found = ".map_err(SemanticAdTransformError::Cache)?\n        {\n"
    yield Edit("tenferro-ad", "src/context.rs", found, f"{found}            {PLANT}::again(true);\n", times=2)


def switch(name: str, faulty: str, right: str) -> str:
    """A Rust expression that is faulty while the fault of that name is on."""
    return f'if {PLANT}::on("{name}") {{ {faulty} }} else {{ {right} }}'
