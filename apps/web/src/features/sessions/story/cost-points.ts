/** Geometry of the cost curve. Pure. */
import type { SessionCall } from "@gateway/shared/usage/session";

export const WIDTH = 1_000;
export const HEIGHT = 100;
/** A curve has no more points than pixels. */
const MOST_POINTS = 1_000;
const MOST_MARKS = 200;

type Costed = Pick<SessionCall, "ended_at" | "quota" | "moved" | "failed">;
export type CurveMark = { x: number; kind: "moved" | "failed" };

/** Returns the sum of the costs up to each call, as an SVG line, and where calls moved or failed. */
export function costPoints(calls: readonly Costed[]): { line: string; total: number; marks: CurveMark[] } {
  const begin = calls[0]?.ended_at ?? 0;
  const span = Math.max(1, (calls.at(-1)?.ended_at ?? 0) - begin);
  const total = calls.reduce((sum, { quota }) => sum + quota, 0);
  const xOf = ({ ended_at }: Costed) => Math.round(((ended_at - begin) / span) * WIDTH * 10) / 10;
  const points: string[] = [];
  const marks = new Map<string, CurveMark>();
  const every = Math.max(1, Math.ceil(calls.length / MOST_POINTS));
  let sum = 0;
  for (const [place, call] of calls.entries()) {
    sum += call.quota;
    if (place % every === 0 || place === calls.length - 1)
      points.push(`${xOf(call)},${(HEIGHT * (1 - sum / Math.max(1, total))).toFixed(1)}`);
    const kind = call.failed ? "failed" : call.moved ? "moved" : undefined;
    if (kind && marks.size < MOST_MARKS) marks.set(`${kind} ${xOf(call)}`, { x: xOf(call), kind });
  }
  return { line: points.join(" "), total, marks: [...marks.values()] };
}
