import { parseArgs } from "node:util";
import { type ScenarioName, scenarios } from "./scenarios.ts";

const usage = `pnpm bench [options]
  --connections 16       connections at the same time; each scenario has a number of its own when absent
  --seconds 8            counted seconds of a round
  --rounds 3             rounds per target
  --scenario plain       plain, single, stream, paced, streams, translated, large or slow (may be repeated); all when absent
  --only gateway         leaves the other targets out: gateway, without-ledger, pass-through, fastify or provider (may be repeated)
  --workers 2            one more target: the gateway with so many workers, as WORKERS starts them; says what more processes cost
  --nodes 3              one more target: so many gateways on one database, all calls on one account
  --beside main.ts       one more target: the gateway of another checkout or bundle
  --pinned               the target alone on core 0, everything else on core 1 (Linux)
  --idle                 memory of the gateway with streams open that wait for their provider; also when no scenario is named
  --json results.json    writes the numbers to a file, too`;

/** Exits with an error message and the usage. */
export function refuse(sentence: string): never {
  console.error(`${sentence}\n\n${usage}`);
  process.exit(1);
}

function parse() {
  try {
    return parseArgs({
      options: {
        connections: { type: "string" },
        seconds: { type: "string", default: "8" },
        rounds: { type: "string", default: "3" },
        scenario: { type: "string", multiple: true },
        only: { type: "string", multiple: true },
        workers: { type: "string", default: "1" },
        nodes: { type: "string", default: "1" },
        beside: { type: "string" },
        pinned: { type: "boolean", default: false },
        idle: { type: "boolean", default: false },
        json: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

export function readOptions() {
  const values = parse();
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const number = (name: "connections" | "seconds" | "rounds" | "workers" | "nodes") => {
    const value = Number(values[name]);
    return Number.isInteger(value) && value > 0 ? value : refuse(`--${name} must be a whole number above 0.`);
  };
  const names = values.scenario ?? Object.keys(scenarios);
  return {
    connections: values.connections === undefined ? undefined : number("connections"),
    seconds: number("seconds"),
    rounds: number("rounds"),
    scenarios: names.map((name) =>
      name in scenarios ? (name as ScenarioName) : refuse(`There is no scenario "${name}".`),
    ),
    only: values.only,
    workers: number("workers"),
    nodes: number("nodes"),
    beside: values.beside,
    pinned: values.pinned,
    idle: values.idle || values.scenario === undefined,
    json: values.json,
  };
}
