"""Operations are read from a release's own sources: public methods, whatever stands around them."""

from __future__ import annotations

from pathlib import Path

from rust_harness.release_operations import changed, operations, surfaces

SOURCE = """
impl TracedTensor {
    /// Not `pub fn documented(&self)`.
    pub fn sin(&self) -> Result<TracedTensor> { let brace = "}"; self.unary(|x| { x }) }
    pub const fn rank(&self) -> usize { 0 }
    #[doc(hidden)]
    pub fn internal(&self) {}
    pub(crate) fn unary(&self) {}
    fn private(&self) {}
    // pub fn commented(&self) {}
}
impl<'a> EagerSession<'a> where Self: Sized {
    pub fn add<T: Into<f64>>(&mut self, x: T) {}
}
impl Display for TracedTensor { fn fmt(&self) {} }
impl Other { pub fn not_an_operation(&self) {} }
pub trait TensorLinalgExt: Sized {
    fn svd(&self) -> Svd;
    fn svd_with(&self, options: &Options) -> Svd { self.svd() }
}
trait HiddenExt { fn hidden(&self); }
"""


def test_public_methods_are_found_by_surface() -> None:
    assert dict(surfaces(SOURCE)) == {
        "TracedTensor": {"sin", "rank"},
        "EagerSession": {"add"},
        "TensorLinalgExt": {"svd", "svd_with"},
    }


def test_blocks_in_several_files_are_one_surface_and_tests_are_none(tmp_path: Path) -> None:
    for name, method in (("a.rs", "sin"), ("b.rs", "cos"), ("tests.rs", "tan"), ("tests/c.rs", "cot")):
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).write_text(f"impl TracedTensor {{\n    pub fn {method}(&self) {{}}\n}}\n")
    assert operations({"tenferro-runtime": tmp_path}) == {"TracedTensor": frozenset({"sin", "cos"})}


def test_what_a_release_adds_and_drops_is_one_line_a_surface() -> None:
    before = {"TracedTensor": frozenset({"sin", "svd_with_options"}), "Same": frozenset({"x"})}
    after = {"TracedTensor": frozenset({"sin", "svd_with", "fftn"}), "Same": frozenset({"x"}), "New": frozenset({"y"})}
    assert changed(before, after) == ["New adds y", "TracedTensor adds fftn, svd_with, drops svd_with_options"]
