import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export function node24() {
  return join(root, "node_modules/node/bin/node");
}
