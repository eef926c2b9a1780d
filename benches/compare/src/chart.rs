//! The picture: one panel for each kind of transcript, a bar for each row, all in times of simdjson's On-Demand API.

use crate::contenders::{
    DOM, ESTIMATE, ON_DEMAND, PLAN_OVER, PORTABLE_ESTIMATE, RAW_COUNTED, SIMD_JSON_TAPE,
    SONIC_LAZY, VALUE_COUNTED,
};
use crate::inputs::{Kind, MEDIUM};
use crate::results::{Results, short};

const ROWS: [(&str, &str, &str); 9] = [
    (ESTIMATE, "tn_estimate_tokens", "ours"),
    (PLAN_OVER, "tn_plan_new, over budget", "ours"),
    (
        PORTABLE_ESTIMATE,
        "tn_estimate_tokens, portable",
        "portable",
    ),
    (ON_DEMAND, "simdjson On-Demand", "theirs"),
    (DOM, "simdjson DOM", "theirs"),
    (SONIC_LAZY, "sonic-rs, lazily", "theirs"),
    (SIMD_JSON_TAPE, "simd-json, tape", "theirs"),
    (RAW_COUNTED, "serde_json RawValue, counted", "theirs"),
    (VALUE_COUNTED, "serde_json Value, serialized", "theirs"),
];

const WIDTH: f64 = 920.0;
const MARGIN: f64 = 20.0;
const TITLE: f64 = 62.0;
const PANEL_TITLE: f64 = 30.0;
const ROW: f64 = 20.0;
const BAR: f64 = 13.0;
const NAMES: f64 = 208.0;
const NUMBERS: f64 = 45.0;
const PANEL_GAP: f64 = 30.0;
const PANEL: f64 = (WIDTH - 2.0 * MARGIN - PANEL_GAP) / 2.0;
const PANEL_HEIGHT: f64 = PANEL_TITLE + ROWS.len() as f64 * ROW + 12.0;

/// The colours are those of the page's own theme; the background is drawn, so that neither theme leaves text unreadable.
const STYLE: &str = "\
    text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px;fill:#1f2328}\
    .title{font-size:16px;font-weight:600}.panel{font-size:13px;font-weight:600}\
    .name{text-anchor:end}.quiet{fill:#59636e}.page{fill:#ffffff;stroke:#d1d9e0}\
    .ours{fill:#0969da}.portable{fill:#6cb0f5}.theirs{fill:#afb8c1}.one{stroke:#1f2328;stroke-dasharray:2 3}\
    text.ours{fill:#0969da;font-weight:600}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.page{fill:#0d1117;stroke:#3d444d}\
    .ours{fill:#4493f8}.portable{fill:#2b5f9e}.theirs{fill:#59636e}.one{stroke:#e6edf3}text.ours{fill:#4493f8}}";

pub fn of(results: &Results) -> String {
    let height = TITLE + 2.0 * PANEL_HEIGHT + 4.0;
    let most = Kind::ALL
        .iter()
        .flat_map(|&kind| {
            ROWS.iter()
                .filter_map(move |(row, ..)| ratio(results, kind, row))
        })
        .fold(1.0, f64::max);
    let scale = (PANEL - NAMES - NUMBERS) / most;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\" aria-labelledby=\"title desc\">\n\
         <title id=\"title\">How fast transcripts of 1 MB are read</title>\n\
         <desc id=\"desc\">Bars for tn_compactor and for JSON parsers on four kinds of transcript, as multiples of the speed of \
         simdjson's On-Demand API.</desc>\n\
         <style>{STYLE}</style>\n\
         <rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"30\">How fast transcripts of 1 MB are read</text>\n\
         <text class=\"quiet\" x=\"{MARGIN}\" y=\"49\">in times of simdjson's On-Demand API (dotted line); longer is faster. \
         Blue: tn_compactor; pale: its portable back end.</text>\n",
        WIDTH - 1.0,
        height - 1.0,
    );
    for (index, &kind) in Kind::ALL.iter().enumerate() {
        let left = MARGIN + (index % 2) as f64 * (PANEL + PANEL_GAP);
        let top = TITLE + (index / 2) as f64 * PANEL_HEIGHT;
        svg += &panel(results, kind, left, top, scale);
    }
    svg + "</svg>\n"
}

fn ratio(results: &Results, kind: Kind, row: &str) -> Option<f64> {
    results.column(kind, MEDIUM)?.ratio_to_on_demand(row)
}

fn panel(results: &Results, kind: Kind, left: f64, top: f64, scale: f64) -> String {
    let start = left + NAMES;
    let mut svg = format!(
        "<text class=\"panel\" x=\"{start}\" y=\"{:.1}\">{}</text>\n",
        top + 19.0,
        kind.name()
    );
    for (index, (row, name, class)) in ROWS.iter().enumerate() {
        let Some(ratio) = ratio(results, kind, row) else {
            continue;
        };
        let y = top + PANEL_TITLE + index as f64 * ROW;
        // Capitals of twelve pixels are about nine high.
        let baseline = y + BAR / 2.0 + 4.4;
        let width = (ratio * scale).max(1.0);
        let text_class = if *class == "theirs" { "" } else { " ours" };
        svg += &format!(
            "<text class=\"name{text_class}\" x=\"{:.1}\" y=\"{baseline:.1}\">{name}</text>\
             <rect class=\"{class}\" x=\"{start:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"1.5\"/>\
             <text x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>\n",
            start - 7.0,
            start + width + 6.0,
            short(ratio),
        );
    }
    let one = start + scale;
    let bottom = top + PANEL_TITLE + ROWS.len() as f64 * ROW - (ROW - BAR) + 3.0;
    svg + &format!(
        "<line class=\"one\" x1=\"{one:.1}\" x2=\"{one:.1}\" y1=\"{:.1}\" y2=\"{bottom:.1}\"/>\n",
        top + PANEL_TITLE - 4.0
    )
}
