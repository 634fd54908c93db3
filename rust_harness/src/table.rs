//! The table of operations: one line an operation makes its method on every surface that has it.

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;

use crate::error::Fault;

/// An operation's name and the surfaces that have it, as the table's lines say.
pub struct Entry {
    pub name: &'static str,
    pub surfaces: &'static [&'static str],
}

inventory::collect!(Entry);

/// Every operation of this build with its surfaces, by name.
#[pyfunction]
pub fn operations() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all: Vec<_> = inventory::iter::<Entry>.into_iter().map(|e| (e.name, e.surfaces.to_vec())).collect();
    all.sort_unstable();
    all
}

/// The error for an attribute that a surface's class does not have.
pub fn no_such(name: &str, surface: &str) -> PyErr {
    match inventory::iter::<Entry>.into_iter().find(|entry| entry.name == name) {
        Some(entry) => Fault::unsupported(format!(
            "{name} is no operation of tenferro's {surface} surface; it is one of: {}",
            entry.surfaces.join(", ")
        ))
        .into(),
        None => PyAttributeError::new_err(format!("a {surface} tensor has no attribute {name:?}")),
    }
}

/// `ops! { [surfaces] { fn name(argument: Type, …) => (what tenferro's method takes) -> Count; … } }`
///
/// The method is called as tenferro spells it: `tensor.name(…)` traced, `session.name(&tensor, …)` eager,
/// `tensor.name(…, engine)` concrete. Without `=>` it takes no argument, without `->` it gives one tensor.
macro_rules! ops {
    ([$($surface:ident)+] $body:tt) => {
        $($crate::table::emit!($surface $body);)+
        $crate::table::emit!(entries [$($surface)+] $body);
    };
}

macro_rules! emit {
    (entries $surfaces:tt {$(
        fn $name:ident($($rest:tt)*) $(=> $call:tt)? $(-> $count:ident)?;
    )*}) => {
        $($crate::table::emit!(entry $surfaces $name);)*
    };
    (entry [$($surface:ident)+] $name:ident) => {
        inventory::submit! {
            $crate::table::Entry { name: stringify!($name), surfaces: &[$(stringify!($surface)),+] }
        }
    };
    (traced $body:tt) => { $crate::table::methods!(Traced, tensor, (), $body); };
    (eager $body:tt) => { $crate::table::methods!(Eager, session, (), $body); };
    (concrete $body:tt) => { $crate::table::methods!(Concrete, engine, (), $body); };
}

macro_rules! methods {
    ($class:ident, $way:ident, (), {$(
        fn $name:ident($($argument:ident: $kind:ty $(= $default:expr)?),*) $(=> ($($given:expr),*))? $(-> $count:ident)?;
    )*}) => {
        #[pymethods]
        impl $crate::surface::$class {$(
            #[pyo3(signature = ($($argument $(= $default)?),*))]
            fn $name(&self, py: Python<'_>, $($argument: $kind),*)
                -> PyResult<$crate::table::count!($class $($count)?)>
            {
                $(let $argument = $crate::operand::Lower::<Self>::lower($argument, self)?;)*
                let this = &*self.tensor;
                let result = $crate::table::call!($way, self, py, this, $name, [$($($given),*)?])?;
                Ok($crate::operand::Raise::raise(result, self))
            }
        )*}
    };
}

macro_rules! count {
    ($class:ident) => { $crate::operand::One<$crate::surface::$class> };
    ($class:ident $count:ident) => { $crate::operand::$count<$crate::surface::$class> };
}

macro_rules! call {
    (tensor, $self:ident, $py:ident, $this:ident, $name:ident, [$($given:expr),*]) => {
        $crate::error::without_gil($py, || Ok($this.$name($($given),*)?))
    };
    (session, $self:ident, $py:ident, $this:ident, $name:ident, [$($given:expr),*]) => {
        $self.core.session($py, |session| Ok(session.$name($this, $($given),*)?))
    };
    (engine, $self:ident, $py:ident, $this:ident, $name:ident, [$($given:expr),*]) => {
        $self.core.engine.run($py, |engine| Ok($this.$name($($given,)* engine)?))
    };
}

pub(crate) use {call, count, emit, methods, ops};
