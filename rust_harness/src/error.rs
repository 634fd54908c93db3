//! tenferro's errors and panics as three Python exceptions, each with tenferro's own text.

use std::any::Any;
use std::error::Error as StdError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tenferro_ad::semantic_extension::SemanticAdError;
use tenferro_ad::semantic_transform::SemanticAdTransformError;
use tenferro_runtime::PrepareError;
use tenferro_tensor::ErrorKind;

pyo3::create_exception!(tenferro_harness, TenferroError, PyException, "What tenferro answered instead of a result.");
pyo3::create_exception!(
    tenferro_harness,
    Unsupported,
    TenferroError,
    "A typed refusal: no such operation, dtype, surface or derivative rule."
);
pyo3::create_exception!(tenferro_harness, Failed, TenferroError, "Any other error, with tenferro's own text.");
pyo3::create_exception!(tenferro_harness, Panicked, TenferroError, "A Rust panic, caught at the boundary.");

/// What a call into tenferro can end in, short of a result.
pub enum Fault {
    Unsupported(String),
    Failed { kind: String, text: String },
    Panicked(String),
}

pub type Outcome<T> = Result<T, Fault>;

impl Fault {
    pub fn unsupported(text: impl Into<String>) -> Self {
        Self::Unsupported(text.into())
    }

    /// An error without a kind of its own: configuration, program construction, thread pool.
    pub fn other(error: impl StdError + 'static) -> Self {
        Self::of("Other".into(), &error)
    }

    fn of(kind: String, error: &(dyn StdError + 'static)) -> Self {
        if refuses(error) { Self::Unsupported(text(error)) } else { Self::Failed { kind, text: text(error) } }
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unsupported(text) => Unsupported::new_err(text),
            Fault::Panicked(text) => Panicked::new_err(text),
            Fault::Failed { kind, text } => {
                let error = Failed::new_err(text);
                // A plain exception object takes any attribute; should that ever fail, the error must still arrive.
                Python::attach(|py| drop(error.value(py).setattr("kind", kind)));
                error
            }
        }
    }
}

/// Errors that carry tenferro's own `ErrorKind`.
macro_rules! with_kind {
    ($($error:ty),*) => {$(
        impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                let kind = error.kind();
                match kind {
                    ErrorKind::Unsupported => Self::Unsupported(text(&error)),
                    _ => Self::of(format!("{kind:?}"), &error),
                }
            }
        }
    )*};
}

with_kind!(tenferro_runtime::Error, tenferro_tensor::Error, tenferro_einsum::Error);

impl From<SemanticAdTransformError> for Fault {
    fn from(error: SemanticAdTransformError) -> Self {
        Self::of("AdTransform".into(), &error)
    }
}

/// The error's text followed by those causes that it does not already quote.
fn text(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let line = error.to_string();
        if !text.contains(&line) {
            text = format!("{text}: {line}");
        }
        cause = error.source();
    }
    text
}

/// Whether the error, or a cause of it, says that tenferro has no such operation, dtype or rule.
fn refuses(error: &(dyn StdError + 'static)) -> bool {
    use SemanticAdTransformError as Transform;
    let here = match error.downcast_ref::<Transform>() {
        Some(error) => matches!(
            error,
            Transform::UnsupportedCore { .. }
                | Transform::UnsupportedOperationVariant { .. }
                | Transform::UnsupportedMetadata { .. }
        ),
        None => false,
    } || matches!(
        error.downcast_ref::<SemanticAdError>(),
        Some(SemanticAdError::MissingRule { .. } | SemanticAdError::Unsupported { .. })
    ) || matches!(
        error.downcast_ref::<PrepareError>(),
        Some(PrepareError::MissingExtension { .. } | PrepareError::Unsupported { .. })
    ) || error.downcast_ref::<tenferro_runtime::Error>().is_some_and(|e| e.kind() == ErrorKind::Unsupported)
        || error.downcast_ref::<tenferro_tensor::Error>().is_some_and(|e| e.kind() == ErrorKind::Unsupported);
    here || error.source().is_some_and(refuses)
}

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());
static HOOK: Once = Once::new();

/// Remembers where the last panic came from instead of printing it: the exception tells it.
fn install_hook() {
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map(|l| format!("{}:{}", short(l.file()), l.line())).unwrap_or_default();
            *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = place;
        }));
    });
}

/// The last four parts of a path: crate, folders and file, without the machine's own folders.
fn short(path: &str) -> String {
    let parts: Vec<_> = path.split(['/', '\\']).collect();
    parts[parts.len().saturating_sub(4)..].join("/")
}

/// Runs `work`; a panic inside becomes `Fault::Panicked` with its message and place.
pub fn caught<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    install_hook();
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Fault::Panicked(message(payload.as_ref()))))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".into());
    let place = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
    format!("{text} ({place})")
}

/// Runs `work` without the GIL and with panics caught: for work that needs no engine.
pub fn without_gil<T: Send>(py: Python<'_>, work: impl FnOnce() -> Outcome<T> + Send) -> PyResult<T> {
    Ok(py.detach(|| caught(work))?)
}

/// The exceptions, each with the `kind` of its errors; `Failed` has tenferro's own kind on the error itself.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let all = [
        ("TenferroError", py.get_type::<TenferroError>(), "Other"),
        ("Unsupported", py.get_type::<Unsupported>(), "Unsupported"),
        ("Failed", py.get_type::<Failed>(), "Other"),
        ("Panicked", py.get_type::<Panicked>(), "Panic"),
    ];
    all.into_iter().try_for_each(|(name, class, kind)| {
        class.setattr("kind", kind)?;
        module.add(name, class)
    })
}
