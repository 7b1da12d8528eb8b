import { readCommandLine } from "../command-line.ts";
import { clients } from "./clients/index.ts";
import { installProgram } from "./programs.ts";
import { writeReport } from "./report.ts";
import { type Result, runScenario, scenarios } from "./scenarios.ts";
import { upstreams } from "./upstream-kinds.ts";
import { createWorld } from "./world.ts";

/**
 * pnpm verify:clients: real coding agents from npm, each at every kind of upstream, in scripted tool loops. Options run a
 * part of it and keep the other results.
 */
const options = readCommandLine("pnpm verify:clients", {
  client: { anyOf: clients.map(({ id }) => id), help: "client that is run" },
  upstream: { anyOf: upstreams, help: "kind of upstream" },
  scenario: { anyOf: scenarios, help: "scripted session" },
});

const world = await createWorld();
const results: Result[] = [];
try {
  for (const client of clients) {
    if (!options.client.includes(client.id)) continue;
    console.log(`${client.label} (${client.speaks})`);
    const executable = await installProgram(client);
    for (const upstream of options.upstream)
      for (const scenario of options.scenario) {
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
