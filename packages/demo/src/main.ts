/** Runs the demo upstream alone: `node src/demo/main.ts --port 4100`. */
import { parseArgs } from "node:util";
import { startDemoUpstream } from "./server.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "4100" } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error("--port must be a number from 0 to 65535.");
  process.exit(1);
}
const upstream = await startDemoUpstream({ port });
console.log(`Demo upstream on ${upstream.url}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void upstream.close();
  });
}
