//! Timing: everything by turns, so that what else the machine does falls on all alike, and medians of many turns.

use std::hint::black_box;
use std::time::Duration;

/// Something that is timed: it reads one transcript.
pub trait Call {
    /// Makes ready for so many calls. Not timed.
    fn prepare(&mut self, _calls: usize) {}

    /// Reads the transcript. What it answers is the same every time.
    fn call(&mut self, index: usize) -> u64;
}

impl<F: FnMut() -> u64> Call for F {
    fn call(&mut self, _: usize) -> u64 {
        self()
    }
}

/// One thing to time, under a name.
pub struct Contender<'t> {
    pub name: &'static str,
    pub call: Box<dyn Call + 't>,
    /// What it has to answer, where that is known.
    pub answer: Option<u64>,
}

/// Times of one call, sorted, in seconds of processor time.
#[derive(Clone, Debug)]
pub struct Times(Vec<f64>);

impl Times {
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    pub fn best(&self) -> f64 {
        self.quantile(0.0)
    }

    /// The distance between the quartiles, as a part of the median.
    pub fn spread(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / self.median()
    }

    fn quantile(&self, part: f64) -> f64 {
        self.0[((self.0.len() - 1) as f64 * part).round() as usize]
    }
}

/// A turn is made of as many calls as fit in this, and of one where none fits.
const TURN: f64 = 200e-6;

/// Times every contender once in each of so many rounds, in another order every round.
pub fn by_turns(contenders: &mut [Contender], rounds: usize) -> Vec<Times> {
    let calls: Vec<usize> = contenders.iter_mut().map(check).collect();
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    let mut order: Vec<usize> = (0..contenders.len()).collect();
    for round in 0..rounds {
        shuffle(&mut order, round as u64);
        for &index in &order {
            let took = turn(&mut *contenders[index].call, calls[index]);
            times[index].push(took);
        }
    }
    times
        .into_iter()
        .map(|mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            Times(times)
        })
        .collect()
}

/// Whether the answer is right, and how many calls make a turn.
fn check(contender: &mut Contender) -> usize {
    contender.call.prepare(1);
    let answer = contender.call.call(0);
    let wanted = contender.answer.unwrap_or(answer);
    assert_eq!(answer, wanted, "the answer of {}", contender.name);
    let fastest = (0..3)
        .map(|_| turn(&mut *contender.call, 1))
        .fold(f64::INFINITY, f64::min);
    ((TURN / fastest) as usize).clamp(1, 1_000)
}

/// Seconds of one call: so many are timed together, after one that is not, which fetches code and text.
fn turn(call: &mut dyn Call, calls: usize) -> f64 {
    call.prepare(calls + 1);
    black_box(call.call(0));
    let before = processor_time();
    for index in 1..=calls {
        black_box(call.call(index));
    }
    (processor_time() - before).as_secs_f64() / calls as f64
}

/// What this thread has had of a processor, in user and system code: waiting for one on a busy machine does not count.
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the output is ours.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "there is no clock of a thread's processor time");
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

fn shuffle(order: &mut [usize], seed: u64) {
    let mut state = seed;
    for last in (1..order.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(last, (state >> 33) as usize % (last + 1));
    }
}
