//! A complex tensor seen as its parts, with a leading axis of length 2, and back.

use pyo3::prelude::*;
use tenferro_tensor::Tensor;

use crate::error::{Fault, Outcome, without_gil};
use crate::surface::{Concrete, Surface};
use crate::table::Entry;

macro_rules! views {
    ($($name:ident: $work:expr;)*) => {
        $(inventory::submit! { Entry { name: stringify!($name), surfaces: &["concrete"] } })*

        // Python has no consuming methods; the names are tenferro's.
        #[allow(clippy::wrong_self_convention)]
        #[pymethods]
        impl Concrete {$(
            fn $name(&self, py: Python<'_>) -> PyResult<Self> {
                let work: fn(&Tensor) -> Outcome<Tensor> = $work;
                Ok(Self::new(without_gil(py, || work(&self.tensor))?, &self.core))
            }
        )*}
    };
}

// The views borrow and the conversions consume, so each works on, or ends in, a copy.
views! {
    as_real_view: |tensor| Ok(tensor.as_real_view()?.duplicate()?);
    as_complex_view: |tensor| Ok(tensor.as_complex_view()?.duplicate()?);
    into_real: |tensor| tensor.duplicate()?.into_real().map_err(|refused| Fault::from(refused.into_parts().1));
    into_complex: |tensor| tensor.duplicate()?.into_complex().map_err(|refused| Fault::from(refused.into_parts().1));
}
