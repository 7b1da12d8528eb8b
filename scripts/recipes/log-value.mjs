import { add, create } from "./edits.mjs";
import { camelCase, sentenceCase, snake } from "./names.mjs";

const row = "packages/shared/src/usage/log.ts";
const record = "apps/server/src/domain/ledger/calls/call-record.ts";
const facts = "apps/web/src/features/logs/detail/log-facts.tsx";

/** "20261128113000", as `pnpm db:diff` names a migration. */
const stamp = () => new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);

const column = (name) => `  ${name}: column(
    "text",
    z.string().nullish(),
    (call) => (call.${camelCase(name)} === undefined ? null : clean(call.${camelCase(name)}, 64)),
    (${camelCase(name)}) => (${camelCase(name)} ? { ${camelCase(name)} } : {}),
    shown,
  ),
`;

export const logValue = {
  about: "a value that is stored with each call and shown in its log entry",
  name: snake,
  edits: (name) => [
    create(
      `prisma/migrations/${stamp()}_log_${name}/migration.sql`,
      `ALTER TABLE "request_logs" ADD COLUMN "${name}" TEXT;\n`,
    ),
    add(row, {
      after: "export const LogRow = z.object({",
      before: "});\nexport type LogRow",
      text: `  /** Null for calls of earlier versions. */\n  ${name}: z.string().nullable(),\n`,
      unless: `\n  ${name}:`,
    }),
    add(record, {
      after: "export interface CallRecord {",
      before: "}\n\n",
      text: `  ${camelCase(name)}?: string | undefined;\n`,
      unless: `\n  ${camelCase(name)}:`,
    }),
    add(record, {
      after: "export const logColumns = {",
      before: "} satisfies Record<string, Column>",
      text: column(name),
      unless: `\n  ${name}:`,
    }),
    add(facts, {
      after: "const facts: Fact[] = [",
      before: "  ];",
      text: `    { label: t("${sentenceCase(name)}"), value: row.${name}, shown: row.${name} !== null },\n`,
      unless: `row.${name} `,
    }),
  ],
  next: (name) => [
    `Set ${camelCase(name)} in the record of a call: relay/core/billing/create-call-record.ts.`,
    `If not everyone who sees the entry may see it, remove \`shown\` in ${record} and add it to domain/logs/search.ts.`,
    "Run pnpm i18n and translate its label.",
  ],
  most: 5,
  byHand: ["the file that knows the value"],
  example: ["sample_region"],
  tests: [
    "apps/server/src/domain/ledger/calls/log-rows.test.ts",
    "apps/server/src/domain/logs/search.test.ts",
  ],
};
