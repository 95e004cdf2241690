// How numbers are written, and small arithmetic on lists of them.

const absent = "–";
const usable = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

export function percent(value: unknown, digits = 1): string {
  return usable(value) ? `${(100 * value).toFixed(digits)}\u00a0%` : absent;
}

// A share as it is, with a decimal only where it has one: 95 %, 99.5 %.
export function exact(value: number): string {
  return `${+(100 * value).toFixed(1)}\u00a0%`;
}

// A whole number of per cent, more closely where that would claim all or nothing.
export function about(value: unknown): string {
  if (!usable(value)) return absent;
  const little = (share: number) => Math.ceil(1e4 * share - 1e-6) / 1e4;
  if (value > 0 && value < 0.0005) return percent(little(value), 2);
  if (value < 1 && value >= 0.9995) return percent(1 - little(1 - value), 2);
  const rounded = Math.round(100 * value);
  return percent(value, (rounded === 0 && value > 0) || (rounded === 100 && value < 1) ? 1 : 0);
}

export function count(value: unknown): string {
  return usable(value) ? Math.round(value).toLocaleString("en") : absent;
}

export function decimal(value: unknown, digits = 3): string {
  return usable(value) ? value.toFixed(digits) : absent;
}

// Three digits, for values of any size: 12k, 4.25, 0.0003.
export function short(value: unknown): string {
  if (!usable(value)) return absent;
  return Math.abs(value) >= 1000 ? `${+(value / 1000).toPrecision(3)}k` : `${+value.toPrecision(3)}`;
}

export function interval(low: number, high: number): string {
  return `${(100 * low).toFixed(1)} to ${percent(high)}`;
}

export function duration(seconds: unknown): string {
  if (!usable(seconds)) return absent;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function millions(value: unknown): string {
  if (!usable(value)) return absent;
  return value >= 1e6 ? `${(value / 1e6).toFixed(1)} million` : count(value);
}

// The value below which the given share of the sorted list lies, linear between neighbours.
export function quantile(sorted: number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

export interface Bin {
  from: number;
  to: number;
  share: number;
}

// Shares of equally wide bins. Values outside the range are counted in the outermost bins.
export function histogram(values: number[], low: number, high: number, bins: number): Bin[] {
  const width = (high - low) / bins || 1;
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    counts[Math.min(bins - 1, Math.max(0, Math.floor((value - low) / width)))] += 1;
  }
  return counts.map((n, i) => ({
    from: low + i * width,
    to: low + (i + 1) * width,
    share: n / (values.length || 1),
  }));
}
