import type { Curve } from "./report";

export interface Sample {
  series: string;
  step: number;
  value: number;
}

// At most `most` samples, each the mean of its neighbours: ten thousand steps are noise on a
// chart of five hundred pixels.
export function thin(curve: Curve, most = 240): Sample[] {
  const samples: Sample[] = [];
  const size = Math.max(1, Math.ceil(curve.steps.length / most));
  for (let start = 0; start < curve.steps.length; start += size) {
    let sum = 0;
    let n = 0;
    let step = 0;
    for (let i = start; i < Math.min(start + size, curve.steps.length); ++i) {
      const value = curve.values[i];
      if (typeof value !== "number" || !Number.isFinite(value)) continue;
      sum += value;
      step += curve.steps[i];
      n += 1;
    }
    if (n > 0) samples.push({ series: curve.name, step: step / n, value: sum / n });
  }
  return samples;
}

export interface Group {
  title: string;
  curves: Curve[];
}

// Those of the curves that no chart shows yet: a chart for each name, or for what stands before a slash.
export function others(curves: Curve[], shown: (name: string) => boolean): Group[] {
  const groups = new Map<string, Curve[]>();
  for (const curve of curves.filter(({ name }) => !shown(name))) {
    const slash = curve.name.indexOf("/");
    const title = (slash < 0 ? curve.name : curve.name.slice(0, slash)).replaceAll("_", " ");
    const name = slash < 0 ? curve.name : curve.name.slice(slash + 1);
    groups.set(title, [...(groups.get(title) ?? []), { ...curve, name }]);
  }
  return [...groups].map(([title, of]) => ({ title: title.charAt(0).toUpperCase() + title.slice(1), curves: of }));
}

export function last(curve: Curve): number | undefined {
  return thin(curve).at(-1)?.value;
}

// Every k-th point and the last one: keeps the corners of a step-like curve, which a mean would not.
export function every<T>(points: T[], most = 300): T[] {
  const size = Math.ceil(points.length / most);
  return points.filter((_, i) => i % size === 0 || i === points.length - 1);
}
