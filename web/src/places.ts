import type { Place } from "./neighbour";
import type { MapPoint } from "./report";
import { quantile } from "./numbers";

const margin = 16;

// Points in pixels. One scale for both directions, since distances are what a map is read by.
export function fit(points: Place[], width: number, height: number): Place[] {
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [bottom, top] = [Math.min(...ys), Math.max(...ys)];
  const scale = Math.max(
    0,
    Math.min((width - 2 * margin) / (right - left || 1), (height - 2 * margin) / (top - bottom || 1)),
  );
  return points.map(({ x, y }) => ({
    x: width / 2 + scale * (x - (left + right) / 2),
    y: height / 2 - scale * (y - (bottom + top) / 2),
  }));
}

// Where to write each class's name: the median, which scattered points do not move.
export function centres(points: MapPoint[], places: Place[]): (Place & { index: number })[] {
  const members = new Map<number, Place[]>();
  points.forEach((point, i) => members.set(point.class, [...(members.get(point.class) ?? []), places[i]]));
  const middle = (values: number[]) => quantile(values.sort((a, b) => a - b), 0.5);
  return [...members].map(([index, at]) => ({
    index,
    x: middle(at.map((place) => place.x)),
    y: middle(at.map((place) => place.y)),
  }));
}
