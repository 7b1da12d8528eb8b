import { readdirSync, readFileSync } from "node:fs";
import { AccountBudget, Budget } from "@gateway/shared/accounts/budget";
import { DerivedKeyRow } from "@gateway/shared/accounts/derived-key";
import { AssignmentRule } from "@gateway/shared/accounts/identity-provider";
import { TokenInput, TokenRow } from "@gateway/shared/accounts/token";
import { UserInput } from "@gateway/shared/accounts/user";
import { PriceRow } from "@gateway/shared/billing/price";
import { ClosedMonth } from "@gateway/shared/billing/statement";
import { ChannelInput } from "@gateway/shared/channels/channel";
import { UserGroupInput } from "@gateway/shared/channels/group";
import { McpBundleRow, McpServerInput, McpToolPrices } from "@gateway/shared/channels/mcp";
import { ShareRow } from "@gateway/shared/usage/share";
import { expect, it } from "vitest";
import { findFieldName } from "./field-names.ts";
import { targetLabels } from "./labels.ts";

const repository = new URL("../../../../../", import.meta.url);

function readTree(folder: string, ending: string): string[] {
  const base = new URL(folder, repository);
  return readdirSync(base, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending) && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(new URL(path, base), "utf8"));
}

const sources = readTree("apps/server/src/", ".ts");
const models = readTree("prisma/schema/", ".prisma").join("\n");

const fieldsOf = ({ shape }: { shape: object }, path = "") =>
  Object.keys(shape).map((field) => (path === "" ? field : `${path}.${field}`));

/** Entries whose values are rows of a table, as `createAuditor<Row>("target", …)` declares them. */
function tableFields(): [target: string, field: string][] {
  return sources.flatMap((source) =>
    [...source.matchAll(/createAuditor<(\w+)>\("(\w+)"/g)].flatMap(([, row = "", target = ""]) => {
      const model = row.replace("Described", "Mcp");
      const [, body = ""] = new RegExp(`^model ${model} \\{\\n([\\s\\S]*?)^\\}`, "m").exec(models) ?? [];
      const columns = [
        ...body.matchAll(/^ {2}(\w+) +(?:Int|String|Boolean|DateTime|Decimal|Json|Bytes|BigInt)\b/gm),
      ];
      expect(columns.length, `columns of ${model}`).toBeGreaterThan(2);
      return columns.map(([, column = ""]): [string, string] => [target, column]);
    }),
  );
}

/** Returns the text from a bracket to the one that closes it. */
function bracketed(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if ("{([".includes(text[at] ?? "")) depth += 1;
    if ("})]".includes(text[at] ?? "")) depth -= 1;
    if (depth === 0) return text.slice(from, at + 1);
  }
  return text.slice(from);
}

/** Names of the fields of an object literal, without those of the objects inside it. */
function literalFields(literal: string): string[] {
  let flat = literal.slice(1, -1);
  for (let inner = /[{([][^{}()[\]]*[})\]]/; inner.test(flat);) flat = flat.replace(inner, "");
  return flat
    .split(",")
    .map((entry) => entry.trim().split(":")[0] ?? "")
    .filter((name) => /^\w+$/.test(name));
}

/** Entries whose values are written where they are recorded: `after: { status, paid: order.paid }`. */
function writtenFields(): [target: string, field: string][] {
  return sources.flatMap((source) =>
    [...source.matchAll(/\bwriteAudit\(|\bauditUser\(/g)].flatMap(({ index, 0: name }) => {
      const call = bracketed(source, index + name.length - 1);
      const [, target = name === "auditUser(" ? "user" : undefined] = /targetType: "(\w+)"/.exec(call) ?? [];
      if (target === undefined) return [];
      return [...call.matchAll(/\b(?:before|after): (?=\{)/g)].flatMap((value) =>
        literalFields(bracketed(call, value.index + value[0].length)).map((field): [string, string] => [
          target,
          field,
        ]),
      );
    }),
  );
}

/** Fields of the entries whose values a function returns, and of the objects inside entries. */
const budget = [...fieldsOf(Budget), ...fieldsOf(Budget, "budget")];
const described: Record<string, string[]> = {
  call_share: fieldsOf(ShareRow),
  // The mode says how keys are replaced and is not stored.
  channel: [...fieldsOf(ChannelInput), "status", "key_hints", "count", "included_credentials"].filter(
    (field) => field !== "key_mode",
  ),
  identity_provider: [...fieldsOf(AssignmentRule, "rules.0"), ...fieldsOf(Budget, "rules.0.budget")],
  mcp_bundle: fieldsOf(McpBundleRow),
  // A flag of the form that is not stored.
  mcp_server: [...fieldsOf(McpServerInput), ...fieldsOf(McpToolPrices.element, "tool_prices.0")],
  payment: ["config"],
  price: [
    ...fieldsOf(PriceRow),
    ...fieldsOf(PriceRow.omit({ version_id: true, updated_time: true }), "price"),
    "extra_ratios.cached_tokens",
    "tiers.0.above",
    "changed.0.after.input",
    "added",
    "removed",
    "mode",
  ],
  scim_group: ["display_name", "external_id", "members"],
  statement: fieldsOf(ClosedMonth),
  token: [
    ...fieldsOf(TokenInput),
    ...fieldsOf(TokenRow.omit({ day_resets_at: true, month_resets_at: true })),
    ...fieldsOf(DerivedKeyRow),
    ...budget,
  ],
  user: [...fieldsOf(UserInput), ...fieldsOf(AccountBudget), ...budget],
  user_group: [...fieldsOf(UserGroupInput), ...budget],
};

it("has a name for every field that the server records, of every type of object", () => {
  const recorded = [
    ...tableFields(),
    ...writtenFields(),
    ...Object.entries(described).flatMap(([target, fields]) =>
      fields.map((field) => [target, field] as const),
    ),
  ];
  for (const known of [
    ["mcp_bundle", "allow"],
    ["order", "gateway_no"],
    ["log", "removed"],
    ["user", "ended"],
  ])
    expect(recorded).toContainEqual(known);
  const withFields = new Set(recorded.map(([target]) => target));
  expect(
    Object.keys(targetLabels).filter((target) => !withFields.has(target) && target !== "setting"),
  ).toEqual([]);
  const isNamed = ([target, path]: readonly [string, string]) => {
    const found = findFieldName(target, path);
    // What is inside a list has a name of its own.
    return found !== undefined && (found.inner !== undefined || /^\d*$/.test(found.place));
  };
  expect(recorded.filter((each) => !isNamed(each)).map((each) => each.join(" "))).toEqual([]);
});

it("names the place of what is in a list, and the field inside it", () => {
  expect(findFieldName("channel", "models.3")).toEqual({ name: "Models", place: "3" });
  expect(findFieldName("channel", "model_mapping.gpt-4.1")).toEqual({
    name: "Model mapping",
    place: "gpt-4.1",
  });
  expect(findFieldName("identity_provider", "rules.0.role")).toEqual({
    name: "Group rules",
    place: "0",
    inner: "Role",
  });
  expect(findFieldName("user", "budget.daily_spend")).toEqual({ name: "Daily limit", place: "" });
  expect(findFieldName("constructor", "constructor")).toBeUndefined();
});
