/**
 * The least that the input of a session can cost with marks for the prompt cache, computed afterwards: each call
 * writes exactly what a later call begins with.
 */
import { type PromptBlock, promptBlocks, SHORTEST_BEGINNING } from "@gateway/demo/answer/marked-cache";

/** Prices of input tokens, as multiples of the price of one that is not cached. */
const READ = 0.1;
const WRITE = 1.25;

/** Returns the cost in tokens at the full price. @param bodies requests to Messages, in order */
export function bestCost(bodies: readonly Record<string, unknown>[]): number {
  const calls = bodies.map((body) => promptBlocks(body as never));
  const written = new Set<string>();
  let cost = 0;
  for (const [at, blocks] of calls.entries()) {
    const read = blocks.findLast(({ hash }) => written.has(hash))?.tokens ?? 0;
    const later = new Set(calls.slice(at + 1).flatMap((next) => next.map(({ hash }) => hash)));
    const last = blocks.findLast(({ hash, tokens }) => later.has(hash) && tokens >= SHORTEST_BEGINNING);
    if (last !== undefined) written.add(last.hash);
    const end = Math.max(read, last?.tokens ?? 0);
    cost += READ * read + WRITE * (end - read) + (tokensOf(blocks) - end);
  }
  return cost;
}

function tokensOf(blocks: readonly PromptBlock[]): number {
  return blocks.at(-1)?.tokens ?? 0;
}
