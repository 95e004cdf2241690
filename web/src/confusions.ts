export interface Cell {
  truth: number;
  predicted: number;
  images: number;
  all: number; // pictures of the true class
  share: number;
}

// The cells that hold a picture; the others of a large matrix are not worth drawing.
export function cells(confusion: number[][]): Cell[] {
  return confusion.flatMap((row, truth) => {
    const all = row.reduce((sum, n) => sum + n, 0);
    return row
      .map((images, predicted) => ({ truth, predicted, images, all, share: images / all }))
      .filter((cell) => cell.images > 0);
  });
}

export function mistakes(confusion: number[][]): Cell[] {
  return cells(confusion)
    .filter((cell) => cell.truth !== cell.predicted)
    .sort((a, b) => b.images - a.images);
}
