//! Encodes a CSV or Parquet file and says how long it took and how much memory: one line of JSON.
//!
//! `encode FILE AGENT TARGET [linear|logistic|softmax]`

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use corefed_core::Family;
use corefed_data::{Check, EncodeOptions, Missing, fit_file};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, agent, target, rest @ ..] = arguments.as_slice() else {
        return Err("encode FILE AGENT TARGET [linear|logistic|softmax]".into());
    };
    let family = match rest {
        [] => Family::Logistic,
        [name, ..] => serde_json::from_value(serde_json::Value::String(name.clone()))?,
    };
    let options = EncodeOptions {
        agent_column: agent.clone(),
        target_column: target.clone(),
        exposure_column: None,
        family,
        intercept: true,
        raw: false,
        l2: 1.0,
        allow: Check::ALL.into_iter().collect(),
        missing: Missing::default(),
        written: corefed_core::Writing::default(),
        na: Vec::new(),
        types: Vec::new(),
    };
    let start = Instant::now();
    let fitted = fit_file(Path::new(file), &options)?;
    let seconds = start.elapsed().as_secs_f64();
    let design = fitted.encoded.federation.design();
    let row = 8 * design.dense_cols() + 4 * design.hot_cols() + size_of::<f64>();
    let answer = serde_json::json!({
        "seconds": seconds,
        "rows": design.rows(),
        "columns": design.dim(),
        "file_bytes": std::fs::metadata(file)?.len(),
        "encoded_bytes": row * design.rows(),
        "peak_bytes": peak()?,
        "digest": fitted.digest,
    });
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}

/// The most memory that was resident at a time, where the system tells.
fn peak() -> std::io::Result<Option<u64>> {
    let path = Path::new("/proc/self/status");
    if !path.exists() {
        return Ok(None);
    }
    let status = std::fs::read_to_string(path)?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|text| text.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    Ok(kilobytes.map(|kilobytes| kilobytes * 1024))
}
