/** Percentages by which one click changes the prices of a group. */
export const priceSteps = [-20, -10, 10, 20];

/** Returns the ratio changed by a percentage, without floating-point noise. */
export function changeRatio(ratio: number, percent: number): number {
  return Number((ratio * (1 + percent / 100)).toFixed(6));
}
