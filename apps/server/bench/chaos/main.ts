import { resolve } from "node:path";
import { bundledMain } from "#test/gateway-process.ts";
import { readCommandLine } from "../command-line.ts";
import { runChaos } from "./run.ts";

/**
 * `pnpm verify:chaos`: strikes gateways, Postgres and Redis under load, and compares the ledger with what clients
 * saw. SIGINT ends the strikes, but not the comparison.
 */
const { main, ...size } = readCommandLine("pnpm verify:chaos", {
  rounds: { whole: 200, help: "strikes" },
  nodes: { whole: 3, help: "gateways on one database" },
  clients: { whole: 12, help: "clients that call without a pause" },
  main: { text: bundledMain, help: "main.ts or bundle of the gateway" },
});

const enough = new AbortController();
// Not once: Ctrl+C arrives twice, from the terminal and from `pnpm chaos`.
process.on("SIGINT", () => enough.abort());
const report = await runChaos({
  ...size,
  untilReleased: true,
  main: resolve(main),
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
