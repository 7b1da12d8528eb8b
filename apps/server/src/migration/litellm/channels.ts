/**
 * Deployments as channels: those with the same account, weight and rank share one. Aliases are further names of a model, and a
 * fallback is a channel of a lower rank that serves the name with the other model, at the other model's price.
 */
import { reasonOf } from "@gateway/shared/reasons";
import { trimEndOf } from "@gateway/shared/trim-end";
import { disable, fit, modelsOf } from "#migration/family/channel-fields.ts";
import { emptyChannel } from "#migration/family/channel-fields.ts";
import { bedrockKey } from "#migration/family/channel-types.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { truncateText, record } from "#migration/row.ts";
import { type Deployment, deploymentsOf, textOf } from "./deployments.ts";
import { hasOwnPrice } from "./prices.ts";

interface ServedModel {
  name: string;
  deployment: Deployment;
  priority: number;
}

/** Below every deployment of the model itself. */
const fallbackRank = 50;
const topRank = 100;

export async function* litellmChannels(context: ReadContext): AsyncGenerator<ChannelRecord> {
  const { deployments, router } = await deploymentsOf(context);
  const served: ServedModel[] = deployments.map((deployment) => ({
    name: deployment.name,
    deployment,
    priority: Math.max(fallbackRank + 1, topRank + 1 - Math.max(1, Number(deployment.params["order"]) || 1)),
  }));
  const byName = Map.groupBy(served, ({ name }) => name);
  for (const [alias, target] of Object.entries(record(router["model_group_alias"])))
    for (const other of byName.get(aliasTarget(target)) ?? []) served.push({ ...other, name: alias });
  for (const [name, others] of fallbacksOf(router))
    for (const [place, other] of others.entries())
      for (const each of byName.get(other) ?? [])
        served.push({ ...each, name, priority: Math.max(0, fallbackRank - place) });
  noteRouter(router, context);
  const channels: { key: string; entries: ServedModel[] }[] = [];
  for (const entry of served) {
    const key = accountOf(entry);
    // One channel forwards a name to one model.
    const found = channels.find(
      (channel) => channel.key === key && channel.entries.every((each) => each.name !== entry.name),
    );
    if (found === undefined) channels.push({ key, entries: [entry] });
    else found.entries.push(entry);
  }
  for (const [index, { entries }] of channels.entries()) {
    context.book.read("channels");
    yield channelOf(index + 1, entries, context);
  }
}

function aliasTarget(target: unknown): string {
  return typeof target === "string" ? target : textOf(record(target)["model"]);
}

function fallbacksOf(router: Record<string, unknown>): [string, string[]][] {
  const list = Array.isArray(router["fallbacks"]) ? router["fallbacks"] : [];
  return list.flatMap((each) =>
    Object.entries(record(each)).map(([name, others]): [string, string[]] => [
      name,
      Array.isArray(others) ? others.filter((other) => typeof other === "string") : [],
    ]),
  );
}

/** Parameters that make an account at a provider. */
const account = [
  "api_key",
  "api_base",
  "base_url",
  "api_version",
  "organization",
  "aws_access_key_id",
  "aws_secret_access_key",
  "aws_session_token",
  "aws_region_name",
  "vertex_project",
  "vertex_location",
  "vertex_credentials",
  "extra_headers",
  "max_parallel_requests",
];

function accountOf({ deployment, priority }: ServedModel): string {
  const { params, place, isBlocked, missing } = deployment;
  const values = account.map((name) => params[name]);
  return JSON.stringify([
    place.provider,
    place.type,
    ...values,
    weightOf(deployment),
    priority,
    isBlocked,
    missing,
  ]);
}

/** By `weight`, else by the limits per minute, as LiteLLM shuffles. */
function weightOf({ params }: Deployment): number {
  const weight = Number(params["weight"] ?? params["rpm"] ?? params["tpm"] ?? 1);
  if (!(weight > 0)) return 1;
  return Math.min(
    1_000_000,
    Math.max(1, Math.round(weight < 1 || !Number.isInteger(weight) ? weight * 100 : weight)),
  );
}

function channelOf(id: number, entries: ServedModel[], context: ReadContext): ChannelRecord {
  const { book } = context;
  const [first] = entries;
  if (first === undefined) throw new Error("A channel has a deployment.");
  const { deployment, priority } = first;
  const { params, place, isBlocked, missing } = deployment;
  const made = emptyChannel(id);
  const names = entries.map(({ name }) => name);
  const mapping: Record<string, string> = {};
  for (const { name, deployment: each } of entries) {
    const { upstream } = each.place;
    // Its own price is that of the name clients call.
    if (hasOwnPrice(each)) mapping[name] = `+${upstream}`;
    else if (upstream !== name) mapping[name] = upstream;
  }
  const limit = Number(params["max_parallel_requests"]);
  made.input = {
    ...made.input,
    type: place.type ?? 8,
    name: truncateText(`${place.provider} ${names[0] ?? ""}`.trim(), 128),
    models: modelsOf(id, names, book),
    groups: ["default"],
    priority,
    weight: weightOf(deployment),
    model_mapping: fit(id, "model_mapping", mapping, book),
    model_headers: fit(id, "model_headers", headersOf(params), book),
    max_concurrency: limit > 0 ? Math.min(1_000_000, Math.trunc(limit)) : 0,
    other: otherOf(params, place.type),
  };
  const address = fit(id, "base_url", addressOf(params), book);
  made.input.base_url = address;
  const key = keyOf(params, place.type);
  made.keys = key === "" ? [] : [{ key, status: 1, reason: undefined }];
  if (place.type === undefined) disable(made, book, reasonOf("importProvider", { provider: place.provider }));
  if (place.type === 8 && address === "") disable(made, book, reasonOf("importNoAddress"));
  for (const variable of new Set(missing)) disable(made, book, reasonOf("importVariable", { variable }));
  if (isBlocked) disable(made, book, reasonOf("importModelsBlocked"));
  if (made.input.models.length === 0) disable(made, book, reasonOf("importNoModels"));
  noteLost(id, params, context);
  return made;
}

function headersOf(params: Record<string, unknown>): Record<string, string> {
  const extra = Object.entries(record(params["extra_headers"])).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const organization = textOf(params["organization"]);
  return {
    ...Object.fromEntries(extra),
    ...(organization === "" ? {} : { "OpenAI-Organization": organization }),
  };
}

/** LiteLLM's addresses end with the version, this gateway's do not. */
function addressOf(params: Record<string, unknown>): string {
  const address = textOf(params["api_base"]) || textOf(params["base_url"]);
  return trimEndOf(address.trim(), "/").replace(/\/v1$/, "");
}

const azure = 3;
const bedrock = 32;
const cloudflare = 35;
const vertex = 42;

function otherOf(params: Record<string, unknown>, type: number | undefined): string {
  if (type === azure) return truncateText(textOf(params["api_version"]), 500);
  if (type === vertex)
    return truncateText(
      `${textOf(params["vertex_location"]) || "global"}|${textOf(params["vertex_project"])}`,
      500,
    );
  return "";
}

function keyOf(params: Record<string, unknown>, type: number | undefined): string {
  const key = textOf(params["api_key"]).trim();
  if (type === bedrock) {
    const region = textOf(params["aws_region_name"]);
    if (key !== "") return `${region}|${key}`;
    const access = textOf(params["aws_access_key_id"]);
    const session = textOf(params["aws_session_token"]);
    if (access === "") return "";
    return (
      bedrockKey(region, access, textOf(params["aws_secret_access_key"])) +
      (session === "" ? "" : `|${session}`)
    );
  }
  if (type === vertex) {
    const credentials = params["vertex_credentials"];
    return typeof credentials === "string"
      ? credentials.trim()
      : credentials === undefined
        ? ""
        : JSON.stringify(credentials);
  }
  if (type === cloudflare && key !== "")
    return `${textOf(params["api_base"]).match(/accounts\/([^/]+)/)?.[1] ?? ""}|${key}`;
  return key;
}

const understood = new Set([
  ...account,
  "model",
  "custom_llm_provider",
  "weight",
  "rpm",
  "tpm",
  "order",
  "litellm_credential_name",
  "use_in_pass_through",
  "use_litellm_proxy",
  "merge_reasoning_content_in_choices",
]);

function noteLost(id: number, params: Record<string, unknown>, { book }: ReadContext): void {
  for (const [name, value] of Object.entries(params)) {
    if (
      understood.has(name) ||
      /cost_per|^cache_/.test(name) ||
      value === null ||
      value === "" ||
      value === false
    )
      continue;
    book.attention("deployment_parameter", `channel ${id}: ${name}`);
  }
  for (const name of ["rpm", "tpm"] as const)
    if (params[name] !== undefined) book.note("deployment_rates", `channel ${id}: ${name}`);
}

function noteRouter(router: Record<string, unknown>, { book }: ReadContext): void {
  const strategy = textOf(router["routing_strategy"]);
  if (strategy !== "" && strategy !== "simple-shuffle") book.attention("routing_strategy", strategy);
  for (const name of ["default_fallbacks", "context_window_fallbacks", "content_policy_fallbacks"])
    if (Array.isArray(router[name]) && router[name].length > 0) book.attention("fallbacks_lost", name);
}
