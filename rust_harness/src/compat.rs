//! What differs between tenferro releases, and what is reached through names that tenferro keeps for itself.

use std::sync::Arc;

use tenferro_ops::ShapeExtent;
use tenferro_ops::dim_expr::DimExpr;
use tenferro_ops::std_tensor_op::StdTensorOp;
use tenferro_runtime::extension::ExtensionOp;
use tenferro_runtime::program::{FrozenProgram, ProgramInputSpec, ProgramValue, SemanticOpRef, SemanticProgram};
use tenferro_runtime::{CompiledGraph, GraphCompiler, TraceContext, TraceValue, TracedTensor, ad_support, extension};

use tenferro_tensor::DType;

use crate::error::{Fault, Outcome};

/// `receiver.name(engine, arguments…)`. From 0.12 on the engine is every call's last argument, as announced.
macro_rules! with_engine {
    ($receiver:expr, $name:ident, $engine:expr $(, $argument:expr)*) => {{
        #[cfg(not(tenferro_0_12))]
        let found = $receiver.$name($engine, $($argument),*);
        #[cfg(tenferro_0_12)]
        let found = $receiver.$name($($argument,)* $engine);
        found
    }};
}

pub(crate) use with_engine;

/// Compiles several outputs, placeholders among the inputs: `compile_many` of the public surface takes no placeholder.
pub fn compile_many(compiler: &mut GraphCompiler, outputs: &[&TracedTensor]) -> Outcome<CompiledGraph> {
    Ok(ad_support::compile_ad_source_many(compiler, outputs)?)
}

/// The program behind a compiled graph.
pub fn frozen(graph: &CompiledGraph) -> &FrozenProgram {
    graph.frozen_program()
}

/// Where a placeholder is among the inputs of a compiled graph, if the graph uses it.
pub fn position(graph: &CompiledGraph, placeholder: &TracedTensor) -> Option<usize> {
    graph.input_key_index(&placeholder.input_key()?)
}

/// Whether an input of a program holds data already.
pub fn is_bound(program: &FrozenProgram, input: usize) -> bool {
    ad_support::frozen_input_value(program, input).is_some()
}

/// A core operation that has no traced method.
pub fn apply_core(op: StdTensorOp, inputs: &[&TracedTensor]) -> tenferro_runtime::Result<TracedTensor> {
    let mut outputs = extension::apply_standard_op(op, inputs)?;
    outputs.pop().ok_or_else(|| tenferro_runtime::Error::Internal("an operation without output".into()))
}

/// The names of a program's operations, in order.
pub fn operations(program: &FrozenProgram) -> Vec<String> {
    let named = |op: SemanticOpRef<'_>| match op {
        SemanticOpRef::Core(op) => leading_word(&format!("{op:?}")),
        SemanticOpRef::Extension(op) => leading_word(&format!("{op:?}")),
        _ => "Unknown".to_owned(),
    };
    program.program.operations().map(|operation| named(operation.op())).collect()
}

fn leading_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// An extension operation as a trace context builds it, applied to traced tensors that have no method for it.
pub fn through_trace(
    inputs: &[&TracedTensor],
    build: impl FnOnce(&mut TraceContext, &[TraceValue]) -> Outcome<TraceValue>,
) -> Outcome<TracedTensor> {
    let mut trace = TraceContext::new();
    let values = inputs.iter().map(|tensor| trace_input(&mut trace, tensor)).collect::<Outcome<Vec<_>>>()?;
    let output = build(&mut trace, &values)?;
    let graph = trace.finish(&[output]).map_err(Fault::other)?;
    let op = only_extension(graph.program().operations().map(|operation| operation.op()))?;
    let mut outputs = extension::apply(op, inputs)?;
    outputs.pop().ok_or_else(|| Fault::unsupported("an extension operation without output"))
}

fn trace_input(trace: &mut TraceContext, tensor: &TracedTensor) -> Outcome<TraceValue> {
    let shape = tensor.concrete_shape()?;
    let spec = ProgramInputSpec::new(tensor.dtype(), shape.into_iter().map(DimExpr::Const));
    trace.input(spec).map_err(Fault::other)
}

fn only_extension<'a>(mut ops: impl Iterator<Item = SemanticOpRef<'a>>) -> Outcome<Arc<dyn ExtensionOp>> {
    match (ops.next(), ops.next()) {
        (Some(SemanticOpRef::Extension(op)), None) => Ok(op.clone_arc()),
        _ => Err(Fault::unsupported("the trace is not one extension operation")),
    }
}

/// The dtype and shape that a program declares for a value.
pub fn declared(program: &SemanticProgram, value: ProgramValue) -> Outcome<(DType, Vec<usize>)> {
    let metadata = program.value_metadata(value).map_err(Fault::other)?;
    let extent = |extent: &ShapeExtent<DimExpr>| match extent.as_exact() {
        Some(DimExpr::Const(extent)) => Ok(*extent),
        _ => Err(Fault::unsupported("an input of unknown shape: give prepare the inputs")),
    };
    Ok((metadata.dtype(), metadata.shape().iter().map(extent).collect::<Outcome<_>>()?))
}
