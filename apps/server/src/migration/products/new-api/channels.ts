import { plainReason, type Reason, reasonOf } from "@gateway/shared/reasons";
import { addressOf, channelOf, disable, fit, modelsOf, ranksOf } from "#migration/family/channel-fields.ts";
import { bedrockKey, type Destination, keepOrSwitchOff, resellers } from "#migration/family/channel-types.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { truncateText, int, json, list, parseJson, points, record, text, whole } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

/** New API's types by number. */
const types: Readonly<Record<number, Destination>> = {
  ...Object.fromEntries([1, 3, 8, 11, 14, 15, 16, 17, 18, 19, 20, 23].map((type) => [type, { type }])),
  ...resellers,
  2: { type: 34 },
  4: { type: 39 },
  5: { type: 34 },
  24: { type: 25 },
  25: { type: 29 },
  26: { type: 16 },
  27: { type: 904 },
  31: { type: 33 },
  33: { type: 32 },
  34: { type: 36 },
  35: { type: 27 },
  36: { type: 41 },
  38: { type: 47 },
  39: { type: 35 },
  40: { type: 45 },
  41: { type: 42 },
  42: { type: 30 },
  43: { type: 28 },
  45: { type: 901 },
  46: { type: 15 },
  47: { type: 8 },
  48: { type: 56 },
  49: { type: 38, check: "importBotModels" },
  50: { type: 53 },
  53: { type: 8, address: "https://llm.submodel.ai" },
  56: { type: 52 },
  58: { type: 8, check: "importOwnRoutes" },
  59: { type: 914 },
  60: { type: 914 },
};

const custom = 8;
const aws = 33;
const cloudflare = 39;
const vertex = 41;
const chatPath = /\/v1\/chat\/completions\/?$/;

export async function* newApiChannels(context: ReadContext): AsyncGenerator<ChannelRecord> {
  const rankOf = await ranksOf(context);
  const drawn = await drawnPriorities(context);
  for await (const row of context.source.rows({ table: "channels", orderBy: "id" })) {
    context.book.read("channels");
    if (whole(row, "weight") <= 0 && drawn.has(points(row, "priority")))
      context.book.attention("weight_zero", `channel ${int(row, "id")}`);
    yield channel(row, context, rankOf(row));
  }
}

/** Priorities at which a channel has a weight: the others of the same priority are not selected there. */
async function drawnPriorities({ source }: ReadContext): Promise<Set<bigint>> {
  const drawn = new Set<bigint>();
  for await (const row of source.rows({ table: "channels" }))
    if (whole(row, "weight") > 0) drawn.add(points(row, "priority"));
  return drawn;
}

function channel(row: SourceRow, { book }: ReadContext, priority: number): ChannelRecord {
  const made = channelOf(row, {});
  const { id } = made;
  const type = int(row, "type");
  const setting = record(parseJson(text(row, "setting")));
  const prompt = textOf(setting["system_prompt"]);
  const weight = whole(row, "weight");
  made.keys = keysOf(row);
  made.statusReason = writtenReason(record(parseJson(text(row, "other_info")))["status_reason"]);
  made.input = {
    ...made.input,
    other: truncateText(text(row, "other").trim(), 500),
    models: modelsOf(id, list(text(row, "models")), book),
    groups: list(text(row, "group")),
    tag: truncateText(text(row, "tag").trim(), 64),
    priority,
    // A weight of 0 is only drawn where every weight is 0.
    weight: weight <= 0 ? 1 : Math.min(1_000_000, weight * 100),
    model_mapping: fit(id, "model_mapping", mappingOf(json(row, "model_mapping")), book),
    model_headers: headersOf(row, id, book),
    custom_parameter: parametersOf(row, id, book),
    proxy: fit(id, "proxy", textOf(setting["proxy"]).trim(), book),
    test_model: fit(id, "test_model", text(row, "test_model"), book),
    auto_disable: text(row, "auto_ban") !== "0",
    system_prompt: truncateText(prompt, 20_000),
  };
  if (prompt !== "" && setting["system_prompt_override"] !== true)
    book.attention("system_prompt_before", `channel ${id}`);
  setAddress(made, row, type, book);
  transformKeys(made, row, type);
  if (type === vertex) requireServiceAccounts(made, book);
  keepOrSwitchOff(made, type, types[type], book);
  noteLost(row, setting, id, book);
  if (made.input.models.length === 0) disable(made, book, reasonOf("importNoModels"));
  return made;
}

/** One per line, or a JSON array of documents; each with its own state. */
function keysOf(row: SourceRow): ChannelRecord["keys"] {
  const info = record(json(row, "channel_info"));
  const written = text(row, "key").trim();
  const isSeveral = info["is_multi_key"] === true;
  const lines = isSeveral ? written.split("\n").map((line) => line.trim()) : [written];
  const keys = /^[[{]/.test(written) ? (documentsIn(written) ?? lines) : lines;
  const states = record(info["multi_key_status_list"]);
  const reasons = record(info["multi_key_disabled_reason"]);
  return keys
    .map((key, index) => {
      const state = Number(states[String(index)] ?? 1);
      return {
        key,
        status: isSeveral && (state === 2 || state === 3) ? state : 1,
        reason: writtenReason(reasons[String(index)]),
      };
    })
    .filter(({ key }) => key !== "");
}

/**
 * Returns the JSON documents of a key field, each in one line: one, an array of them, or several in a row, each of
 * one or more lines. Undefined if the text is something else.
 */
function documentsIn(written: string): string[] | undefined {
  const whole = parseJson(written);
  if (whole !== undefined)
    return [whole].flat().map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  const documents: string[] = [];
  // Each line that ends an object may be the end of a document.
  let open = "";
  for (const line of written.split("\n")) {
    open = open === "" ? line.trim() : `${open}\n${line}`;
    if (open === "" || !/\},?$/.test(line.trim())) continue;
    const document = parseJson(open.trim().replace(/,$/, ""));
    if (document === undefined) continue;
    documents.push(JSON.stringify(document));
    open = "";
  }
  return open === "" ? documents : undefined;
}

/** New API bills the requested name, so every target has a `+`; chains are followed, loops are left out. */
function mappingOf(value: unknown): Record<string, string> {
  const mapping = record(value);
  const targets: Record<string, string> = {};
  for (const name of Object.keys(mapping)) {
    const seen = new Set([name]);
    let target = name;
    for (;;) {
      const next = mapping[target];
      if (typeof next !== "string" || next.trim() === "" || next === target) break;
      if (seen.has(next)) {
        target = name;
        break;
      }
      seen.add(next);
      target = next;
    }
    if (target !== name) targets[name] = `+${target}`;
  }
  return targets;
}

function headersOf(row: SourceRow, id: number, book: ReadContext["book"]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(record(json(row, "header_override")))) {
    if (typeof value === "string" && !/\{\w+\}/.test(value)) headers[name] = value;
    else book.attention("header_placeholder", `channel ${id}: ${name}`);
  }
  const organization = text(row, "open_ai_organization").trim();
  if (organization !== "") headers["OpenAI-Organization"] = organization;
  return fit(id, "model_headers", headers, book);
}

function parametersOf(row: SourceRow, id: number, book: ReadContext["book"]) {
  const given = record(json(row, "param_override"));
  if (Array.isArray(given["operations"])) {
    book.attention("param_operations", `channel ${id}`);
    return {};
  }
  return fit(
    id,
    "custom_parameter",
    Object.keys(given).length === 0 ? {} : { ...given, overwrite: true },
    book,
  );
}

function setAddress(made: ChannelRecord, row: SourceRow, type: number, book: ReadContext["book"]): void {
  const address = text(row, "base_url").trim();
  if (/^[a-z][a-z-]+-plan(-international)?$/.test(address)) {
    disable(made, book, reasonOf("importCodingPlan"));
    return;
  }
  if (type === custom && address.includes("{")) disable(made, book, reasonOf("importAddressPattern"));
  // Its custom channels call exactly this address; ours add the path.
  else if (type === custom && address !== "" && !chatPath.test(address)) {
    made.input.base_url = addressOf(made, address, book);
    disable(made, book, reasonOf("importWholeAddress"));
  } else
    made.input.base_url = addressOf(made, type === custom ? address.replace(chatPath, "") : address, book);
}

function transformKeys(made: ChannelRecord, row: SourceRow, type: number): void {
  const other = text(row, "other").trim();
  const settings = record(parseJson(text(row, "settings")));
  for (const each of made.keys) {
    if (type === aws) {
      const parts = each.key.split("|");
      const [first = "", second = "", third = ""] = parts;
      each.key =
        settings["aws_key_type"] === "api_key" ? `${second}|${first}` : bedrockKey(third, first, second);
    }
    if (type === cloudflare) each.key = `${other}|${each.key}`;
  }
  if (type === vertex) {
    const regions = parseJson(other);
    const region =
      typeof regions === "object" ? (record(regions)["default"] ?? Object.values(record(regions))[0]) : other;
    const projects = made.keys.map(({ key }) => textOf(record(parseJson(key))["project_id"]));
    // Without a project, each key uses its own.
    const project = projects.length === 1 ? projects[0] : "";
    made.input.other = truncateText(`${textOf(region)}|${project}`, 500);
  }
}

/** Disables what Google would refuse: the channel if no key is a service account, else only the other keys. */
function requireServiceAccounts(made: ChannelRecord, book: ReadContext["book"]): void {
  const reason = reasonOf("importNoServiceAccount");
  const wrong = made.keys.filter(({ key }) => textOf(record(parseJson(key))["private_key"]) === "");
  if (wrong.length === 0) return;
  if (wrong.length === made.keys.length) {
    disable(made, book, reason);
    return;
  }
  book.attention("keys_not_service_accounts", `channel ${made.id}`);
  for (const key of wrong) Object.assign(key, { status: 2, reason });
}

function noteLost(
  row: SourceRow,
  setting: Record<string, unknown>,
  id: number,
  book: ReadContext["book"],
): void {
  const settings = record(parseJson(text(row, "settings")));
  if (record(json(row, "channel_info"))["multi_key_mode"] === "polling")
    book.attention("keys_in_turn", `channel ${id}`);
  const lost = [
    ["status_code_mapping", !["", "{}"].includes(text(row, "status_code_mapping").trim())],
    ["remark", text(row, "remark") !== ""],
    ["force_format", setting["force_format"] === true],
    ["thinking_to_content", setting["thinking_to_content"] === true],
    ["pass_through_body_enabled", setting["pass_through_body_enabled"] === true],
    ["http_protocol", textOf(setting["http_protocol"]) !== ""],
    ["allow_service_tier", settings["allow_service_tier"] === true],
    ["disable_store", settings["disable_store"] === true],
    ["azure_responses_version", textOf(settings["azure_responses_version"]) !== ""],
  ] as const;
  for (const [name, isSet] of lost)
    if (isSet) book.attention("channel_lost", `channel ${id}`, { field: name });
}

/** What New API or an administrator wrote. */
function writtenReason(value: unknown): Reason | undefined {
  const written = truncateText(textOf(value), 500);
  return written === "" ? undefined : plainReason(written);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
