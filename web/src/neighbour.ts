export interface Place {
  x: number;
  y: number;
}

export const directions: Record<string, Place> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

// The point an arrow key leads to: the nearest one ahead, where straying sideways costs double.
// Stays where it is when nothing lies ahead. y grows downwards.
export function neighbour(places: Place[], from: number, towards: Place, allowed: (i: number) => boolean): number {
  let best = from;
  let least = Infinity;
  places.forEach((place, i) => {
    const dx = place.x - places[from].x;
    const dy = place.y - places[from].y;
    const ahead = dx * towards.x + dy * towards.y;
    const aside = Math.abs(dx * towards.y) + Math.abs(dy * towards.x);
    const cost = ahead + 2 * aside;
    if (i !== from && ahead > 0 && cost < least && allowed(i)) {
      best = i;
      least = cost;
    }
  });
  return best;
}

export function nearest(places: Place[], at: Place, within: number, allowed: (i: number) => boolean): number | null {
  let best: number | null = null;
  let least = within * within;
  places.forEach((place, i) => {
    const distance = (place.x - at.x) ** 2 + (place.y - at.y) ** 2;
    if (distance <= least && allowed(i)) {
      best = i;
      least = distance;
    }
  });
  return best;
}
