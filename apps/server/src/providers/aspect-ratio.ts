/** Aspect ratios, for providers that accept a ratio instead of a size. */
const shapes: [ratio: number, name: string][] = [
  [21 / 9, "21:9"],
  [16 / 9, "16:9"],
  [3 / 2, "3:2"],
  [5 / 4, "5:4"],
  [1, "1:1"],
  [4 / 5, "4:5"],
  [2 / 3, "2:3"],
  [9 / 16, "9:16"],
  [9 / 21, "9:21"],
];

/** Returns the ratio nearest to a size like `1536x1024`; a square for an invalid size. */
export function aspectRatio(size: string): string {
  const [width, height] = size.split("x").map(Number);
  const wanted = Math.log((width ?? 1) / (height ?? 1));
  if (!Number.isFinite(wanted)) return "1:1";
  const distance = (ratio: number) => Math.abs(Math.log(ratio) - wanted);
  return shapes.reduce((best, shape) => (distance(shape[0]) < distance(best[0]) ? shape : best))[1];
}
