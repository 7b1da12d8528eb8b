/**
 * Options in One Hub's format: a list of texts. Options that this product does not have are listed with the
 * value that describes its behaviour.
 */
import { lookupTable } from "@gateway/shared/lookup-table";
import { secretSettings, type SettingKey, Settings } from "@gateway/shared/site/settings";
import { z } from "zod";
import { viewerOf } from "#console/guards.ts";
import { changeSettings } from "#console/system/settings.ts";
import { invalidRequest } from "#errors.ts";
import { type CompatRoute, handleWith } from "./plugin/route.ts";

/** Texts that contain JSON. An empty text means an empty table. */
const tables: ReadonlySet<string> = new Set<SettingKey>([
  "RechargeDiscount",
  "GeminiOpenThink",
  "ClaudeDefaultMaxTokens",
]);

/** Options that cannot be changed. @see docs/settings.md for why each of them is fixed */
const fixed = lookupTable<{ value: string; accepts?: (value: string) => boolean }>({
  // At least this amount is always reserved.
  PreConsumedQuota: { value: "500", accepts: (value) => /^\d+$/.test(value) },
  ApproximateTokenEnabled: { value: "false" },
  LogConsumeEnabled: { value: "true" },
  ChatImageRequestProxy: { value: "" },
  CFWorkerImageUrl: { value: "" },
  CFWorkerImageKey: { value: "" },
  AnalyticsCode: { value: "" },
  // Accounts are matched by GitHub's numeric id in either case.
  GitHubOldIdCloseEnabled: { value: "false", accepts: (value) => value === "true" || value === "false" },
  OldTokenMaxId: { value: "0" },
  SafeToolName: { value: "Keyword" },
});

const names = Object.keys(Settings.shape) as SettingKey[];

const list = handleWith(
  { data: z.array(z.object({ key: z.string(), value: z.string() })) },
  async (_given, { services }) => {
    const settings = services.settings.current();
    const own = names
      .filter((key) => !/(Token|Secret)$/.test(key))
      .map((key) => ({ key: key as string, value: textOf(key, settings[key]) }));
    const others = Object.entries(fixed).map(([key, { value }]) => ({ key, value }));
    return { data: [...own, ...others].sort((a, b) => (a.key < b.key ? -1 : 1)) };
  },
);

function textOf(key: SettingKey, value: Settings[SettingKey]): string {
  if (secretSettings.includes(key)) return "";
  const text = String(value);
  return text === "" && tables.has(key) ? "{}" : text;
}

const Change = z.object({
  key: z.string().min(1).max(64),
  value: z.union([z.string(), z.number(), z.boolean()]).transform(String),
});

const change = handleWith({ body: Change, data: z.undefined() }, async ({ body }, call) => {
  const { key, value } = body;
  const known = Object.hasOwn(fixed, key) ? fixed[key] : undefined;
  if (known !== undefined) {
    if (value === known.value || known.accepts?.(value) === true) return {};
    throw invalidRequest({ reason: "option_fixed", option: key, value: known.value }, { param: "value" });
  }
  // Lists show secrets as "", so writing a list back must not delete them.
  if (value === "" && (secretSettings as readonly string[]).includes(key)) {
    call.note(`${key} keeps its stored value: an empty secret changes nothing.`);
    return {};
  }
  const text = tables.has(key) && value.trim() === "{}" ? "" : value;
  // An unchanged value in a list that is written back needs no permission.
  const current = Object.hasOwn(Settings.shape, key)
    ? textOf(key as SettingKey, call.services.settings.current()[key as SettingKey])
    : undefined;
  if (value !== current) await changeSettings(call.services, viewerOf(call.request), { [key]: text });
  return {};
});

/** One Hub returns 400 for a body that it cannot parse, and 200 for a value that it rejects. */
const badBody: CompatRoute["refuses"] = ({ code, isRead }) =>
  code === "invalid_request" && !isRead ? 400 : 200;

export const optionCompat: Record<string, CompatRoute> = {
  "GET /option": { handle: list },
  "PUT /option": { handle: change, refuses: badBody },
  "POST /option/system_info/log": { refuses: badBody },
  "POST /system_info/log": { refuses: badBody },
};
