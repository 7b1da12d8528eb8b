/** The file of `gateway apply`. What it does not name stays unchanged, down to the fields of an object. */
import { PriceValues } from "@gateway/shared/billing/price";
import { ChannelInput } from "@gateway/shared/channels/channel";
import { UserGroupInput } from "@gateway/shared/channels/group";
import { makePartial } from "@gateway/shared/paging";
import { Settings } from "@gateway/shared/site/settings";
import { z } from "zod";

const idOrName = z.union([z.int().min(1), z.string().min(1).max(100)]);

const ChannelEntry = makePartial(
  ChannelInput.omit({ name: true, key: true, key_mode: true, type: true })
    .extend({
      /** A number, or the name of the provider. */
      type: idOrName,
      key: z.union([z.string(), z.array(z.string()).min(1).max(1_000)]),
      enabled: z.boolean(),
    })
    .strict(),
);
export type ChannelEntry = z.output<typeof ChannelEntry>;

const GroupEntry = makePartial(
  UserGroupInput.omit({ symbol: true }).extend({ enabled: z.boolean() }).strict(),
);
export type GroupEntry = z.output<typeof GroupEntry>;

/** `channel_type` is the id or the name of the model's owner. */
const PriceEntry = makePartial(PriceValues.extend({ channel_type: idOrName }).strict());
export type PriceEntry = z.output<typeof PriceEntry>;

const mostEntries = 20_000;

/** Objects by name. */
function recordOf<Entry extends z.ZodType>(entry: Entry) {
  return z
    .record(z.string().min(1), entry)
    .refine((entries) => Object.keys(entries).length <= mostEntries, `Name at most ${mostEntries} objects.`);
}

export const prunable = ["channels", "groups", "prices"] as const;

export const GatewayFile = z.strictObject({
  channels: recordOf(ChannelEntry).optional(),
  groups: recordOf(GroupEntry).optional(),
  prices: recordOf(PriceEntry).optional(),
  /** Each value is parsed by its own schema. `null` restores the default. */
  settings: z.record(z.string(), z.unknown()).optional(),
  prune: z.array(z.enum(prunable)).default([]),
});
export type GatewayFile = z.output<typeof GatewayFile>;

const reference = {
  description: "The value of an environment variable.",
  anyOf: [
    { type: "string", pattern: "^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$" },
    {
      type: "object",
      properties: { fromEnv: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" } },
      required: ["fromEnv"],
      additionalProperties: false,
    },
  ],
};

type JsonSchema = Record<string, unknown>;

/** Returns the JSON Schema of the file, with which editors complete and check it. */
export function gatewayFileSchema(): JsonSchema {
  const options = { io: "input", unrepresentable: "any" } as const;
  const file = z.toJSONSchema(GatewayFile, options) as JsonSchema & { properties: Record<string, unknown> };
  const settings = z.toJSONSchema(Settings, options).properties ?? {};
  return {
    ...file,
    title: "gateway.yaml",
    properties: {
      ...file.properties,
      channels: withReferences(file.properties["channels"]),
      settings: {
        type: "object",
        additionalProperties: false,
        properties: Object.fromEntries(
          Object.entries(settings).map(([name, schema]) => [
            name,
            { anyOf: [schema, { type: "null" }, reference] },
          ]),
        ),
      },
    },
  };
}

/** Allows a reference wherever a text is allowed. */
function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [
      name,
      name === "propertyNames" ? part : withReferences(part),
    ]),
  );
  return inner["type"] === "string" ? { anyOf: [inner, reference] } : inner;
}
