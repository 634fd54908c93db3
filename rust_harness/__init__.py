"""The Rust binding over tenferro (`src/`), and what builds it for a release."""
