//! The TRG of the Ising model as a whole Rust program: step by step what `references/trg/staged.py` drives from Python.

use pyo3::prelude::*;
use tenferro_ad::{EagerSession, EagerTensor};
use tenferro_cpu::CpuEngine;
use tenferro_einsum::EagerSessionEinsumExt;
use tenferro_linalg::EagerSessionLinalgExt;
use tenferro_tensor::{SliceConfig, Tensor};

use crate::compat::with_engine;
use crate::engine::{Core, Engine};
use crate::error::{Fault, Outcome};

/// One step's graph: the leaf, what it became, ln‖T‖ and its weight in lnZ/N.
struct Link {
    leaf: EagerTensor,
    image: EagerTensor,
    log_norm: EagerTensor,
    weight: f64,
}

/// lnZ/N at inverse temperature `beta` and its derivative; `ranks` holds the truncation of every step.
#[pyfunction]
pub fn trg(py: Python<'_>, engine: &Engine, beta: f64, ranks: Vec<usize>) -> PyResult<(f64, f64)> {
    let core = Core::new(py, &engine.0)?;
    core.engine.run(py, |engine| Run { core: &core, engine }.value_and_gradient(beta, &ranks))
}

struct Run<'a> {
    core: &'a Core,
    engine: &'a mut CpuEngine,
}

impl Run<'_> {
    fn value_and_gradient(&mut self, beta: f64, ranks: &[usize]) -> Outcome<(f64, f64)> {
        let sites = 2f64.powi(ranks.len() as i32);
        let variable = self.core.eager.variable_from(scalar(beta)?)?;
        let first = self.session(|session| initial(session, &variable))?;
        let (links, last) = self.forward(&first, ranks, sites)?;
        let trace = self.session(|session| log_trace(session, &last))?;
        let mut total = 0.0;
        for link in &links {
            total += link.weight * self.number(&link.log_norm)?;
        }
        total += self.number(&trace)? / sites;
        let mut cotangent = self.constant(1.0 / sites)?;
        cotangent = self.vjp(&trace, &last, &cotangent)?;
        for link in links.iter().rev() {
            cotangent = self.pull(link, &cotangent)?;
        }
        let gradient = self.vjp(&first, &variable, &cotangent)?;
        Ok((total, self.number(&gradient)?))
    }

    /// Every step on a leaf of its own, and the last tensor as a leaf.
    fn forward(&mut self, first: &EagerTensor, ranks: &[usize], sites: f64) -> Outcome<(Vec<Link>, EagerTensor)> {
        let mut links = Vec::with_capacity(ranks.len());
        let mut leaf = self.leaf(first)?;
        for (index, &k) in ranks.iter().enumerate() {
            let (image, log_norm) = self.session(|session| step(session, &leaf, k))?;
            let next = self.leaf(&image)?;
            let weight = 2f64.powi((ranks.len() - index) as i32) / sites;
            links.push(Link { leaf: std::mem::replace(&mut leaf, next), image, log_norm, weight });
        }
        Ok((links, leaf))
    }

    /// Two VJPs, one through the next tensor and one through ln‖T‖, added.
    fn pull(&mut self, link: &Link, cotangent: &EagerTensor) -> Outcome<EagerTensor> {
        let through = self.vjp(&link.image, &link.leaf, cotangent)?;
        let weight = self.constant(link.weight)?;
        let norm = self.vjp(&link.log_norm, &link.leaf, &weight)?;
        self.session(|session| Ok(session.add(&through, &norm)?))
    }

    fn session<T>(&mut self, work: impl FnOnce(&mut EagerSession<'_>) -> Outcome<T>) -> Outcome<T> {
        self.core.eager.with_eager_session(self.engine, work)
    }

    fn vjp(&mut self, output: &EagerTensor, wrt: &EagerTensor, cotangent: &EagerTensor) -> Outcome<EagerTensor> {
        Ok(with_engine!(self.core.eager, vjp, self.engine, output, wrt, cotangent)?)
    }

    /// A variable with the tensor's data and none of its history.
    fn leaf(&mut self, tensor: &EagerTensor) -> Outcome<EagerTensor> {
        Ok(self.core.eager.variable_from(tensor.to_tensor(self.engine)?)?)
    }

    fn constant(&self, value: f64) -> Outcome<EagerTensor> {
        Ok(self.core.eager.constant_from(scalar(value)?)?)
    }

    fn number(&mut self, tensor: &EagerTensor) -> Outcome<f64> {
        let tensor = tensor.to_tensor(self.engine)?;
        let values = tensor.as_slice::<f64>().map_err(Fault::from)?;
        values.first().copied().ok_or_else(|| Fault::unsupported("a number without elements"))
    }
}

fn scalar(value: f64) -> Outcome<Tensor> {
    Ok(Tensor::from_vec_col_major(Vec::<usize>::new(), vec![value])?)
}

/// T[u,l,d,r] of one site; cosh and sinh by exponentials, as tenferro has neither.
fn initial(session: &mut EagerSession<'_>, beta: &EagerTensor) -> Outcome<EagerTensor> {
    let grow = session.exp(beta)?;
    let minus = session.neg(beta)?;
    let shrink = session.exp(&minus)?;
    let sum = session.add(&grow, &shrink)?;
    let difference = session.sub(&grow, &shrink)?;
    let (cosh, sinh) = (half_root(session, &sum)?, half_root(session, &difference)?);
    let upper = session.stack(&[&cosh, &sinh], 0)?;
    let negative = session.neg(&sinh)?;
    let lower = session.stack(&[&cosh, &negative], 0)?;
    let q = session.stack(&[&upper, &lower], 0)?;
    Ok(session.einsum(&[&q, &q, &q, &q], "su,sl,sd,sr->uldr")?)
}

fn half_root(session: &mut EagerSession<'_>, x: &EagerTensor) -> Outcome<EagerTensor> {
    let two = session.constant_from(scalar(2.0)?)?;
    let half = session.div(x, &two)?;
    Ok(session.sqrt(&half)?)
}

/// (T', ln‖T‖): one coarse-graining step.
fn step(session: &mut EagerSession<'_>, t: &EagerTensor, k: usize) -> Outcome<(EagerTensor, EagerTensor)> {
    let square = session.mul(t, t)?;
    let sum = session.reduce_sum(&square, None)?;
    let norm = session.sqrt(&sum)?;
    let spread = session.broadcast_in_dim(&norm, t.shape(), &[])?;
    let t = session.div(t, &spread)?;
    let (s1, s3) = halves(session, &t, &[2, 1, 0, 3], k)?;
    let (s2, s4) = halves(session, &t, &[3, 2, 1, 0], k)?;
    let image = session.einsum(&[&s1, &s2, &s3, &s4], "war,abu,bgl,gwd->ruld")?;
    Ok((image, session.log(&norm)?))
}

/// The two halves of T, cut along one diagonal: both D × D × k.
fn halves(
    session: &mut EagerSession<'_>,
    t: &EagerTensor,
    order: &[usize],
    k: usize,
) -> Outcome<(EagerTensor, EagerTensor)> {
    let d = t.shape()[0];
    let m = d * d;
    let turned = session.transpose(t, order)?;
    let matrix = session.reshape(&turned, [m, m])?;
    let (u, s, vt) = session.svd(&matrix)?;
    // The factors' extents are min(m, m) until a reshape says m; slices of them have no derivative before.
    let (u, s, vt) = (session.reshape(&u, [m, m])?, session.reshape(&s, [m])?, session.reshape(&vt, [m, m])?);
    let kept = session.slice(&s, upto(&[k]))?;
    let root = session.sqrt(&kept)?;
    let root = session.broadcast_in_dim(&root, &[m, k], &[1])?;
    let left = session.slice(&u, upto(&[m, k]))?;
    let left = session.mul(&left, &root)?;
    let right = session.slice(&vt, upto(&[k, m]))?;
    let right = session.transpose(&right, &[1, 0])?;
    let right = session.mul(&right, &root)?;
    Ok((session.reshape(&left, [d, d, k])?, session.reshape(&right, [d, d, k])?))
}

fn upto(limits: &[usize]) -> SliceConfig {
    SliceConfig { starts: vec![0; limits.len()], limits: limits.to_vec(), strides: vec![1; limits.len()] }
}

/// ln Σ T[x,y,x,y]: the last tensor closed on itself.
fn log_trace(session: &mut EagerSession<'_>, t: &EagerTensor) -> Outcome<EagerTensor> {
    let trace = session.einsum(&[t], "xyxy->")?;
    Ok(session.log(&trace)?)
}
