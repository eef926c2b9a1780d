//! What the library is meant to reach, and whether it does.

use crate::contenders::{
    APPLY_UNDER, ESTIMATE, ON_DEMAND, PLAN_OVER, PLAN_UNDER, PORTABLE_ESTIMATE, RAW_COUNTED,
    VALUE_COUNTED,
};
use crate::inputs::{Kind, LARGE, MEDIUM, SMALL};
use crate::results::{Results, short};

pub struct Target {
    pub name: &'static str,
    what: What,
    /// What it must reach, and what it should.
    bound: f64,
    aim: f64,
}

enum What {
    /// How many times as fast the one row is as the other, on every transcript.
    AtLeast(&'static str, &'static str),
    /// The time on the large transcript, in times on the medium one, of each kind.
    Growth(&'static str),
    /// Microseconds on the small transcript.
    Microseconds(&'static str),
}

const TARGETS: [Target; 9] = [
    Target {
        name: "estimate to simdjson On-Demand",
        what: What::AtLeast(ESTIMATE, ON_DEMAND),
        bound: 0.9,
        aim: 1.3,
    },
    Target {
        name: "plan over budget to simdjson On-Demand",
        what: What::AtLeast(PLAN_OVER, ON_DEMAND),
        bound: 0.6,
        aim: 1.0,
    },
    Target {
        name: "estimate to serde_json Value",
        what: What::AtLeast(ESTIMATE, VALUE_COUNTED),
        bound: 12.0,
        aim: 20.0,
    },
    Target {
        name: "portable estimate to RawValue, counted",
        what: What::AtLeast(PORTABLE_ESTIMATE, RAW_COUNTED),
        bound: 2.0,
        aim: 4.0,
    },
    Target {
        name: "10 MB to 1 MB, estimate",
        what: What::Growth(ESTIMATE),
        bound: 15.0,
        aim: 11.0,
    },
    Target {
        name: "10 MB to 1 MB, plan under budget",
        what: What::Growth(PLAN_UNDER),
        bound: 15.0,
        aim: 11.0,
    },
    Target {
        name: "10 MB to 1 MB, plan over budget",
        what: What::Growth(PLAN_OVER),
        bound: 15.0,
        aim: 11.0,
    },
    Target {
        name: "no-op by tn_compactor_apply, µs",
        what: What::Microseconds(APPLY_UNDER),
        bound: 3.0,
        aim: 1.0,
    },
    Target {
        name: "no-op by tn_plan_new, µs",
        what: What::Microseconds(PLAN_UNDER),
        bound: 3.0,
        aim: 1.0,
    },
];

/// What a target came to.
pub struct Checked {
    pub target: &'static Target,
    /// The transcript and the value. Empty where what it is held against is missing.
    pub values: Vec<(String, f64)>,
}

pub fn checked(results: &Results) -> Vec<Checked> {
    TARGETS
        .iter()
        .map(|target| Checked {
            target,
            values: target.values(results),
        })
        .collect()
}

impl Target {
    fn values(&self, results: &Results) -> Vec<(String, f64)> {
        match self.what {
            What::AtLeast(row, other) => results
                .columns
                .iter()
                .filter_map(|column| Some((column.name(), column.ratio(row, other)?)))
                .collect(),
            What::Growth(row) => Kind::ALL
                .iter()
                .filter_map(|&kind| {
                    let seconds = |size| Some(results.column(kind, size)?.times(row)?.median());
                    let name = results.column(kind, LARGE)?.name();
                    Some((name, seconds(LARGE)? / seconds(MEDIUM)?))
                })
                .collect(),
            What::Microseconds(row) => results
                .column(Kind::English, SMALL)
                .and_then(|column| Some((column.name(), column.times(row)?.median() * 1e6)))
                .into_iter()
                .collect(),
        }
    }

    fn more_is_better(&self) -> bool {
        matches!(self.what, What::AtLeast(..))
    }

    /// "at least 0.9"
    pub fn bound_in_words(&self) -> String {
        let least = if self.more_is_better() {
            "at least"
        } else {
            "at most"
        };
        format!("{least} {}", self.bound)
    }

    pub fn aim(&self) -> f64 {
        self.aim
    }

    fn reaches(&self, value: f64, limit: f64) -> bool {
        if self.more_is_better() {
            value >= limit
        } else {
            value <= limit
        }
    }

    /// By how much of the bound the value misses it, in percent.
    fn shortfall(&self, value: f64) -> f64 {
        ((value - self.bound).abs() / self.bound * 100.0).ceil()
    }

    /// "aim reached", "met" or "missed by 7 %"
    pub fn verdict(&self, value: f64) -> String {
        if self.reaches(value, self.aim) {
            "aim reached".to_owned()
        } else if self.reaches(value, self.bound) {
            "met".to_owned()
        } else {
            format!("MISSED by {} %", self.shortfall(value))
        }
    }
}

impl Checked {
    /// The value that is hardest on the target, and where it was measured.
    pub fn worst(&self) -> Option<&(String, f64)> {
        let by_value = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
        if self.target.more_is_better() {
            self.values.iter().min_by(by_value)
        } else {
            self.values.iter().max_by(by_value)
        }
    }

    fn misses(&self) -> usize {
        let target = self.target;
        let reached = |value: f64| target.reaches(value, target.bound);
        self.values
            .iter()
            .filter(|(_, value)| !reached(*value))
            .count()
    }
}

/// Every target on every transcript that it is about, and what is missed.
pub fn table(results: &Results) -> String {
    let mut text = format!("{:39}{:>13}{:>5} ", "Targets (! missed)", "", "aim");
    for column in &results.columns {
        text += &format!("{:>7}", column.size);
    }
    text += &format!("\n{:58}", "");
    for column in &results.columns {
        text += &format!("{:>7}", column.kind.short_name());
    }
    text.push('\n');
    let all = checked(results);
    for checked in &all {
        let target = checked.target;
        text += &format!(
            "{:39}{:>13}{:>5} ",
            target.name,
            target.bound_in_words(),
            target.aim
        );
        for column in &results.columns {
            let value = checked
                .values
                .iter()
                .find(|(name, _)| *name == column.name());
            text += &value.map_or(format!("{:>7}", ""), |(_, value)| {
                let mark = if target.reaches(*value, target.bound) {
                    ' '
                } else {
                    '!'
                };
                format!("{:>6}{mark}", short(*value))
            });
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    for checked in &all {
        let target = checked.target;
        match checked.worst() {
            None => {
                text += &format!(
                    "unknown: {}: what it is held against is missing\n",
                    target.name
                )
            }
            Some((name, worst)) if checked.misses() > 0 => {
                text += &format!(
                    "MISSED on {} of {}: {}: {} is {} % off, on {name}\n",
                    checked.misses(),
                    checked.values.len(),
                    target.name,
                    short(*worst),
                    target.shortfall(*worst),
                );
            }
            Some(_) => {}
        }
    }
    let met = all
        .iter()
        .filter(|checked| !checked.values.is_empty() && checked.misses() == 0);
    text + &format!("{} of {} targets met\n", met.count(), all.len())
}
