import { parseArgs } from "node:util";
import { clients } from "./clients/index.ts";
import { installProgram } from "./programs.ts";
import { writeReport } from "./report.ts";
import { type Result, runScenario, type Scenario, scenarios } from "./scenarios.ts";
import { type UpstreamKind, upstreams } from "./upstream-kinds.ts";
import { createWorld } from "./world.ts";

/**
 * pnpm verify:clients: real coding agents from npm, each at every kind of upstream, in scripted tool loops.
 *   --client, --upstream, --scenario   run a part of it, and keep the other results
 */
const { values } = parseArgs({
  options: {
    client: { type: "string", multiple: true },
    upstream: { type: "string", multiple: true },
    scenario: { type: "string", multiple: true },
  },
});
const chosen = <Name extends string>(all: readonly Name[], names: string[] | undefined) =>
  names === undefined ? all : all.filter((name) => names.includes(name));
const kinds: readonly UpstreamKind[] = chosen(upstreams, values.upstream);
const played: readonly Scenario[] = chosen(scenarios, values.scenario);

const world = await createWorld();
const results: Result[] = [];
try {
  for (const client of clients) {
    if (values.client !== undefined && !values.client.includes(client.id)) continue;
    console.log(`${client.label} (${client.speaks})`);
    const executable = await installProgram(client);
    for (const upstream of kinds)
      for (const scenario of played) {
        const result = await runScenario(world, client, executable, upstream, scenario);
        results.push(result);
        const state = result.skipped ?? (result.wrong.length === 0 ? "passed" : "FAILED");
        console.log(`  ${upstream} ${scenario}: ${state} (${result.seconds} s)`);
        for (const line of result.wrong) console.log(`    ${line.replaceAll("\n", "\n      ")}`);
      }
  }
} finally {
  await world.close();
}
await writeReport(clients, results);
if (results.some((result) => result.wrong.length > 0)) process.exitCode = 1;
