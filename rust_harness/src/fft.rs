//! Fourier transforms: so far what their derivatives and their compiled programs need, no operation.

crate::engine::extension!(tenferro_fft);
