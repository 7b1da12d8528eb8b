import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../steps.mjs";
import { add, create } from "./edits.mjs";
import { camelCase, kebab, titleCase } from "./names.mjs";

const folder = "apps/server/src/providers";
const unrecorded = `${folder}/fixtures/unrecorded.json`;
const reason = "not recorded yet";

const record = (id, type) => `import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/** https://docs.${id}.example, read 20xx-xx. */
export const ${camelCase(id)}: Provider = {
  type: ${type},
  id: "${id}",
  label: "${titleCase(id)}",
  baseUrl: "https://api.${id}.example",
  dialects: ["openai-chat"],
  endpoints: ["chat"],
  keyHint: "sk-…",
  models: ["${id}-model"],
  testModel: "${id}-model",
  website: "https://${id}.example",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
`;

/** Types up to 56 are numbers of other products; 900 is the demo provider. */
function nextType() {
  const definitions = join(root, folder, "definitions");
  const types = readdirSync(definitions, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => Number(/^ +type: (\d+),$/m.exec(readFileSync(join(definitions, file), "utf8"))?.[1] ?? 0));
  return Math.max(900, ...types) + 1;
}

function addUnrecorded(id) {
  return {
    path: unrecorded,
    change(text) {
      const reasons = { ...JSON.parse(text), [id]: { answers: reason, streams: reason, errors: reason } };
      const sorted = Object.entries(reasons).toSorted(([one], [other]) => (one < other ? -1 : 1));
      return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
    },
  };
}

export const provider = {
  about: "a provider that uses a known dialect",
  name: kebab,
  edits: (id) => [
    create(`${folder}/definitions/${id}.ts`, record(id, nextType())),
    add(`${folder}/registry.ts`, {
      after: 'import { z } from "zod";\n',
      before: 'import type { Provider } from "./provider.ts";',
      text: `import { ${camelCase(id)} } from "./definitions/${id}.ts";\n`,
      unless: `{ ${camelCase(id)} }`,
    }),
    add(`${folder}/registry.ts`, {
      after: "const providers: readonly Provider[] = [",
      before: "];",
      text: `  ${camelCase(id)},\n`,
      unless: ` ${camelCase(id)},`,
    }),
    addUnrecorded(id),
  ],
  next: (id) => [
    `Fill in ${folder}/definitions/${id}.ts: address, key, models, website. Optional: icon, group, help.`,
    `Put a recorded response, stream and error into ${folder}/fixtures/${id}/, described in proof.json (see its README), and remove ${id} from ${unrecorded}.`,
    "Add it to the table of a page docs/provider-*.md and to the list in docs/providers.md.",
  ],
  most: 3,
  byHand: [],
  example: ["sample-cloud"],
  tests: [
    "apps/server/src/providers/contract.test.ts",
    "apps/server/src/providers/recorded.test.ts",
    "apps/server/test/project/provider-pages.test.ts",
  ],
};
