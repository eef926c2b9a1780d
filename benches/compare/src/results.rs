//! What was measured.

use crate::contenders::ON_DEMAND;
use crate::inputs::Kind;
use crate::measure::Times;

pub struct Results {
    pub columns: Vec<Column>,
}

/// All times on one transcript.
pub struct Column {
    pub kind: Kind,
    pub size: &'static str,
    pub bytes: usize,
    pub messages: u64,
    pub rows: Vec<(&'static str, Times)>,
}

impl Results {
    pub fn column(&self, kind: Kind, size: &str) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| column.kind == kind && column.size == size)
    }
}

impl Column {
    pub fn times(&self, row: &str) -> Option<&Times> {
        self.rows
            .iter()
            .find(|(name, _)| *name == row)
            .map(|(_, times)| times)
    }

    /// How many times as fast `row` is as `other`.
    pub fn ratio(&self, row: &str, other: &str) -> Option<f64> {
        Some(self.times(other)?.median() / self.times(row)?.median())
    }

    pub fn ratio_to_on_demand(&self, row: &str) -> Option<f64> {
        self.ratio(row, ON_DEMAND)
    }

    /// Billions of bytes read in a second, when it takes so many seconds.
    pub fn speed(&self, seconds: f64) -> f64 {
        self.bytes as f64 / seconds / 1e9
    }

    /// "English and code, 1 MB"
    pub fn name(&self) -> String {
        format!("{}, {}", self.kind.name(), self.size)
    }
}

/// Three digits or so.
pub fn short(number: f64) -> String {
    match number {
        _ if number < 0.0995 => format!("{number:.3}"),
        _ if number < 9.995 => format!("{number:.2}"),
        _ if number < 99.95 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// A time in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    if seconds < 999.5e-6 {
        format!("{} µs", short(seconds * 1e6))
    } else {
        format!("{} ms", short(seconds * 1e3))
    }
}
