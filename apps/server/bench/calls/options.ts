import { readCommandLine } from "../command-line.ts";
import { type ScenarioName, scenarios } from "./scenarios.ts";

const targetNames = ["gateway", "without-ledger", "pass-through", "fastify", "provider"] as const;
export type TargetName = (typeof targetNames)[number];
const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** Returns the options of `pnpm bench`. */
export function readOptions() {
  const { scenario, ...options } = readCommandLine("pnpm bench", {
    connections: { whole: 0, help: "connections at the same time; 0: the number of the scenario" },
    seconds: { whole: 8, help: "counted seconds of a round" },
    rounds: { whole: 3, help: "rounds per target" },
    scenario: { anyOf: scenarioNames, help: "kind of load" },
    only: { anyOf: targetNames, help: "leaves the other targets out" },
    workers: {
      whole: 1,
      help: "one more target: the gateway with so many workers; says what more processes cost",
    },
    nodes: { whole: 1, help: "one more target: so many gateways on one database, all calls on one account" },
    telemetry: {
      flag: true,
      help: "one more target: the gateway that sends traces, metrics and logs to an OpenTelemetry collector",
    },
    beside: {
      text: "",
      help: "one more target: the main.ts or bundle of another checkout, or the URL of any gateway",
    },
    key: { text: "", help: "API key of the gateway at the URL" },
    "provider-port": {
      whole: 0,
      help: "port of the benchmark's provider, for a channel of the gateway at the URL",
    },
    pinned: { flag: true, help: "the target alone on core 0, everything else on core 1 (Linux)" },
    idle: {
      flag: true,
      help: "memory of the gateway with streams open that wait for their provider; also with all scenarios",
    },
    json: { text: "", help: "file that gets the numbers, too" },
  });
  return { ...options, scenarios: scenario, idle: options.idle || scenario.length === scenarioNames.length };
}
