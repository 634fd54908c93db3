//! Faults switched on by `TENFERRO_PLANT`: compiled into a copy of tenferro-tensor, never into a release.
//!
//! The variable is either a fault's name, which an edited line asks for by [`on`], or `site how size when`: what is done
//! to the results that come by a site; or `visits FILE`, which spoils nothing and writes every site that a result comes
//! by into that file. It is read anew each time, so that one process tries many faults.

use std::cell::Cell;

use crate::Tensor;

thread_local! {
    static WIDTH: Cell<usize> = const { Cell::new(1) };
    static AGAIN: Cell<bool> = const { Cell::new(false) };
}

struct Fault {
    site: String,
    how: String,
    size: f64,
    when: String,
}

fn fault() -> Option<Fault> {
    let text = std::env::var("TENFERRO_PLANT").ok()?;
    let mut words = text.split_whitespace().map(str::to_owned);
    let site = words.next()?;
    let how = words.next().unwrap_or_default();
    let size = words.next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    Some(Fault { site, how, size, when: words.next().unwrap_or_default() })
}

/// Whether the fault of that name is switched on.
pub fn on(name: &str) -> bool {
    fault().is_some_and(|fault| fault.site == name)
}

/// Tells how many threads the operations that follow on this thread may use.
pub fn width(threads: usize) {
    WIDTH.with(|width| width.set(threads));
}

/// Tells whether what follows on this thread is asked of state that was used before.
pub fn again(used: bool) {
    AGAIN.with(|again| again.set(used));
}

/// Whether `key` (the place of a prepared program) was run before.
pub fn seen(key: usize) -> bool {
    static SEEN: std::sync::Mutex<Vec<usize>> = std::sync::Mutex::new(Vec::new());
    let mut seen = SEEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let found = seen.contains(&key);
    if !found {
        seen.push(key);
    }
    found
}

/// Adds a line with the site's name to the file that `visits FILE` names, where the variable says that.
fn visited(site: &str) {
    use std::io::Write;
    let text = std::env::var("TENFERRO_PLANT").unwrap_or_default();
    let Some(file) = text.strip_prefix("visits ") else { return };
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
    opened.and_then(|mut file| writeln!(file, "{site}")).expect("the file of visits takes a line");
}

/// A result on its way past a site, spoilt where a fault there says so.
pub fn tensor(site: &str, mut found: Tensor) -> Tensor {
    visited(site);
    if let Some(fault) = fault().filter(|fault| fault.site == site && applies(fault, &found)) {
        spoil(&fault, &mut found);
    }
    found
}

/// Several results: the site of each is the site's name and its place.
pub fn tensors(site: &str, found: Vec<Tensor>) -> Vec<Tensor> {
    found.into_iter().enumerate().map(|(place, one)| tensor(&format!("{site}.{place}"), one)).collect()
}

/// The site of an operation on a surface, by the operation's own name: `traced-Sin`.
pub fn named(surface: &str, operation: &dyn std::fmt::Debug, found: Tensor) -> Tensor {
    let Some(fault) = fault().filter(|fault| fault.site.starts_with(surface)) else {
        return found;
    };
    let name: String = format!("{operation:?}").chars().take_while(|c| c.is_alphanumeric()).collect();
    let site = format!("{surface}-{name}");
    if fault.site == site { tensor(&site, found) } else { found }
}

fn applies(fault: &Fault, found: &Tensor) -> bool {
    let elements: usize = found.shape().iter().product();
    match fault.when.as_str() {
        "wide" => WIDTH.with(Cell::get) > 1,
        "again" => AGAIN.with(Cell::get),
        "big" => elements >= 16_384,
        "scalar" => found.shape().is_empty(),
        "complex" => format!("{:?}", found.dtype()).starts_with('C'),
        "single" => format!("{:?}", found.dtype()) == "F32",
        _ => true,
    }
}

fn data<T: crate::TensorScalar>(found: &mut Tensor) -> Option<&mut [T]> {
    found.as_typed_mut::<T>()?.host_data_mut().ok()
}

fn spoil(fault: &Fault, found: &mut Tensor) {
    if let Some(data) = data::<f64>(found) {
        real64(fault, data);
    } else if let Some(data) = data::<f32>(found) {
        real32(fault, data);
    } else if let Some(data) = data::<num_complex::Complex64>(found) {
        // SAFETY: a complex number is its two parts, in order, without padding.
        real64(fault, unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast(), 2 * data.len()) });
    } else if let Some(data) = data::<num_complex::Complex32>(found) {
        // SAFETY: as above.
        real32(fault, unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast(), 2 * data.len()) });
    } else if let Some(data) = data::<i64>(found) {
        ends(&fault.how, data);
    } else if let Some(data) = data::<i32>(found) {
        ends(&fault.how, data);
    } else if let Some(data) = data::<bool>(found) {
        ends(&fault.how, data);
    }
}

fn ends<T>(how: &str, data: &mut [T]) {
    if how == "swap" && data.len() > 1 {
        let last = data.len() - 1;
        data.swap(0, last);
    }
}

macro_rules! real {
    ($name:ident, $real:ty) => {
        fn $name(fault: &Fault, data: &mut [$real]) {
            let size = fault.size as $real;
            let last = data.len().saturating_sub(1);
            match fault.how.as_str() {
                "scale" => data.iter_mut().for_each(|x| *x += *x * size),
                "shift" => data.iter_mut().for_each(|x| *x += size),
                "single" => data.iter_mut().for_each(|x| *x = *x as f32 as $real),
                "plus" => data.iter_mut().for_each(|x| *x += 0.0),
                "number" => data.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = 0.0),
                "last" => data.get_mut(last).into_iter().for_each(|x| *x += *x * size),
                "sign" => data.get_mut(last).into_iter().for_each(|x| *x = -*x),
                "zero" => data.get_mut(last).into_iter().for_each(|x| *x = 0.0),
                "ulp" => data.get_mut(last).into_iter().for_each(|x| *x = x.next_up()),
                how => ends(how, data),
            }
        }
    };
}

real!(real64, f64);
real!(real32, f32);
