import { isModelName } from "@gateway/shared/models/model-name";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Dialect } from "#dialects/dialect.ts";
import { parseAt } from "#dialects/wire.ts";
import { type ModelDescription, describeModels } from "#domain/catalog/model-description.ts";
import { disabledModels, modelAliases } from "#domain/settings/model-lists.ts";
import { type Caller, mayUseModel } from "#domain/tokens/callers.ts";
import { modelNotFound } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { codexCatalogue } from "./codex-catalogue.ts";
import { anthropicPage, geminiPage, pageOfModels } from "./model-pages.ts";

/** Creation date for OpenAI's required field, as other gateways of this kind return it. */
const CREATED = 1_677_649_963;

export interface ModelListEntry extends Pick<
  ModelDescription,
  "displayName" | "contextLength" | "maxTokens"
> {
  id: string;
  /** The model's maker, or its provider. */
  ownedBy: string;
}

/** Format of the list, and of one model, for one kind of client. */
interface Shape {
  /** @param query of the request; it may select a page */
  list(models: readonly ModelListEntry[], query: unknown): object;
  one(model: ModelListEntry): object;
}

export function modelRoutes(app: FastifyInstance, services: GatewayServices): void {
  serveModels(app, services, "/v1/models", requestedShape);
}

/** Registers the model lists at paths that only clients of this dialect use. */
export function ownModelRoutes(
  app: FastifyInstance,
  services: GatewayServices,
  dialect: Dialect["id"],
): void {
  for (const path of ownPaths[dialect] ?? [])
    serveModels(app, services, path, () => (dialect === "gemini" ? gemini : anthropic));
}

const ownPaths: Partial<Record<Dialect["id"], readonly string[]>> = {
  anthropic: ["/claude/v1/models"],
  gemini: ["/v1beta/models", "/gemini/:version/models"],
};

function serveModels(
  app: FastifyInstance,
  services: GatewayServices,
  path: string,
  shapeFor: (request: FastifyRequest) => Shape,
): void {
  app.get(path, async (request) => {
    const models = await listModels(services, accessOf(request).caller);
    return shapeFor(request).list(models, request.query);
  });
  app.get(`${path}/*`, async (request) => {
    const { "*": id } = request.params as { "*": string };
    const models = await listModels(services, accessOf(request).caller);
    const model = models.find((entry) => entry.id === id);
    if (model === undefined) throw modelNotFound(id);
    return shapeFor(request).one(model);
  });
}

async function listModels(services: GatewayServices, caller: Caller): Promise<ModelListEntry[]> {
  const { candidates, prices, settings } = services.relay;
  const disabled = disabledModels(settings);
  const owners = new Map<string, string>();
  for (const group of [caller.group, caller.backupGroup]) {
    for (const name of candidates.models(group)) {
      if (owners.has(name) || name.endsWith("*") || disabled.has(name) || !isModelName(name)) continue;
      if (!mayUseModel(caller, name)) continue;
      owners.set(name, candidates.find(group, name)[0]?.provider.id ?? "");
    }
  }
  const described = await describeModels(services.db, prices.table(), [...owners.keys()]);
  const listed = [...owners].map(([id, provider]) => {
    const { owner = "", displayName = id, contextLength = 0, maxTokens = 0 } = described.get(id) ?? {};
    return { id, ownedBy: owner || provider, displayName, contextLength, maxTokens };
  });
  const byName = new Map(listed.map((model) => [model.id, model]));
  for (const [alias, model] of modelAliases(services.relay.settings)) {
    const meant = byName.get(model);
    if (meant !== undefined) byName.set(alias, { ...meant, id: alias });
  }
  return [...byName.values()].sort((a, b) => a.ownedBy.localeCompare(b.ownedBy) || a.id.localeCompare(b.id));
}

/**
 * Returns the format for a request. Codex puts its version into the query. Anthropic's clients always send
 * their version header, Google's the key in a header of their own.
 */
function requestedShape({ headers, query }: FastifyRequest): Shape {
  if ((query as { client_version?: unknown }).client_version !== undefined) return codex;
  if (headers["anthropic-version"] !== undefined) return anthropic;
  return headers["x-goog-api-key"] === undefined ? openai : gemini;
}

function openaiModel(model: ModelListEntry) {
  return { id: model.id, object: "model", created: CREATED, owned_by: model.ownedBy };
}

function openaiList(models: readonly ModelListEntry[]) {
  return { object: "list", data: models.map(openaiModel) };
}

/** Has every field that Anthropic's types require; `null` stands for what the gateway does not know. */
function anthropicModel(model: ModelListEntry) {
  return {
    type: "model",
    id: model.id,
    display_name: model.displayName,
    created_at: new Date(CREATED * 1_000).toISOString(),
    max_input_tokens: model.contextLength > 0 ? model.contextLength : null,
    max_tokens: model.maxTokens > 0 ? model.maxTokens : null,
    capabilities: null,
    line: null,
    lifecycle: "active",
    deprecated_at: null,
    retires_at: null,
    owned_by: model.ownedBy,
  };
}

function anthropicList(models: readonly ModelListEntry[], query: unknown) {
  const { limit, after_id: after, before_id: before } = parseAt(anthropicPage, query, "");
  const page = pageOfModels(models, { size: limit, after, before });
  return {
    data: page.models.map(anthropicModel),
    has_more: page.hasMore,
    first_id: page.models.at(0)?.id ?? null,
    last_id: page.models.at(-1)?.id ?? null,
  };
}

function geminiModel(model: ModelListEntry) {
  return {
    name: `models/${model.id}`,
    displayName: model.displayName,
    ...(model.contextLength > 0 ? { inputTokenLimit: model.contextLength } : {}),
    ...(model.maxTokens > 0 ? { outputTokenLimit: model.maxTokens } : {}),
    ownedBy: model.ownedBy,
    supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
  };
}

function geminiList(models: readonly ModelListEntry[], query: unknown) {
  const { pageSize, pageToken } = parseAt(geminiPage, query, "");
  const page = pageOfModels(models, { size: pageSize, after: pageToken });
  const next = page.hasMore ? { nextPageToken: page.models.at(-1)?.id } : {};
  return { models: page.models.map(geminiModel), ...next };
}

const openai: Shape = { list: openaiList, one: openaiModel };
const anthropic: Shape = { list: anthropicList, one: anthropicModel };
const codex: Shape = { list: codexCatalogue, one: openaiModel };
const gemini: Shape = { list: geminiList, one: geminiModel };
