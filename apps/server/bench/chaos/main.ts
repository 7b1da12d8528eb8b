import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundledMain } from "#test/gateway-process.ts";
import { runChaos } from "./run.ts";

/**
 * `pnpm verify:chaos`: strikes gateways, Postgres and Redis under load, and compares the ledger with what clients
 * saw. SIGINT ends the strikes, but not the comparison.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    nodes: { type: "string", default: "3" },
    clients: { type: "string", default: "12" },
    main: { type: "string", default: bundledMain },
  },
});
const number = (name: "rounds" | "nodes" | "clients") => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name} must be a whole number above 0.`);
  process.exit(1);
};

const enough = new AbortController();
process.once("SIGINT", () => enough.abort());
const report = await runChaos({
  rounds: number("rounds"),
  nodes: number("nodes"),
  clients: number("clients"),
  untilReleased: true,
  main: resolve(values.main),
  enough: enough.signal,
  say: (sentence) => console.log(sentence),
});
const { complete, refused, broken, brokenAndCharged, interrupted, refusals, wrong, strikes } = report;
console.log(
  `\nStruck: ${Object.entries(strikes)
    .map(([kind, times]) => `${times} × ${kind}`)
    .join(", ")}`,
);
console.log(`Calls seen complete, each charged once: ${complete}`);
console.log(`Refused, none charged: ${refused}`, refusals);
console.log(
  `Broken by a strike: ${broken}, of which the bill was committed before the end was sent: ${brokenAndCharged}`,
);
console.log(`Long calls charged up to their last checkpoint, because their node died: ${interrupted}`);
for (const sentence of wrong) console.error(sentence);
console.log(wrong.length === 0 ? "The books are right: drift 0." : `${wrong.length} things are wrong.`);
process.exitCode = wrong.length === 0 ? 0 : 1;
