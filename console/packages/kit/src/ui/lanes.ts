/** Spans of time beside one another: each in the first lane that has room. */

export interface Span {
  id: string;
  name: string;
  /** The key of a state: queued, running, succeeded, failed, cancelled. */
  state: string;
  from: string;
  until: string | null;
}

const LEAST = 0.014;
const MOST_LANES = 8;

/** Shares of the whole time, oldest first; what goes on ends now. What no lane has room for is in the last. */
export function lanesOf(spans: readonly Span[], now: number) {
  const timed = spans.map((span) => ({ ...span, begin: Date.parse(span.from), end: span.until ? Date.parse(span.until) : now }));
  timed.sort((one, other) => one.begin - other.begin);
  const from = Math.min(...timed.map(({ begin }) => begin));
  const until = Math.max(from + 5_000, ...timed.map(({ end }) => end));
  const ends: number[] = [];
  const bars = timed.map(({ begin, end, ...span }) => {
    const length = Math.max(LEAST, (end - begin) / (until - from));
    const start = Math.min((begin - from) / (until - from), 1 - length);
    const free = ends.findIndex((taken) => taken <= start);
    const lane = free >= 0 ? free : Math.min(ends.length, MOST_LANES - 1);
    ends[lane] = start + length;
    return { ...span, start, length, lane };
  });
  return { from, until, bars, lanes: ends.length };
}
