/** Gemini's cached contents: https://ai.google.dev/api/caching, read 2026-11-29. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Dialect, Wire } from "#dialects/dialect.ts";
import { changedCachedContent, type NewCachedContent, newCachedContent } from "#dialects/gemini/schema.ts";
import { storable } from "#dialects/storable.ts";
import { spendingOf } from "#dialects/usage/spending.ts";
import { parseAt } from "#dialects/wire.ts";
import { contextWindowOf } from "#domain/catalog/published-models.ts";
import { type Estimate, estimateUsage } from "#domain/pricing/estimate.ts";
import {
  type CachedContent,
  type CachedContentView,
  findCachedContent,
  forgetCachedContent,
  listCachedContents,
  requireSpareContents,
  storeCachedContent,
} from "#domain/responses/cached-contents.ts";
import { resolveModel } from "#domain/settings/model-lists.ts";
import { invalidRequest, notFound } from "#errors.ts";
import { type Access, accessOf } from "#gateway/access/access.ts";
import { admit } from "#gateway/access/admit.ts";
import { decodeBody } from "#gateway/body/decode-body.ts";
import { jsonBody } from "#gateway/body/json-body.ts";
import { requireStorable } from "#gateway/body/storable.ts";
import { explainMissingFeature } from "#gateway/responses/responses-only.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { now } from "#platform/clock.ts";
import {
  type CachedContentCall,
  deleteCachedContent,
  relayCachedContent,
  storageTool,
  storageUnits,
} from "#relay/caches/cached-content.ts";

/** Google's own clients use the second version now. */
const paths = ["/v1beta/cachedContents", "/v1/cachedContents", "/gemini/:version/cachedContents"];
const endpoint = "/v1beta/cachedContents";
/** Google's default. */
const usualMs = 3_600_000;
const mostDays = 7;
const mostMs = mostDays * 86_400_000;
const usualPage = 50;
const mostPage = 100;

export function cachedContentRoutes(app: FastifyInstance, services: GatewayServices, client: Dialect): void {
  for (const path of paths) {
    app.post(path, async (request) => create(services, client, request));
    app.get(path, async (request) => list(services, request));
    app.get(`${path}/:id`, async (request) => (await findRequested(services, request)).view);
    app.patch(`${path}/:id`, async (request) => extend(services, request));
    app.delete(`${path}/:id`, async (request) => remove(services, request));
  }
}

async function create(
  services: GatewayServices,
  client: Dialect,
  request: FastifyRequest,
): Promise<CachedContentView> {
  const access = accessOf(request);
  const given = jsonBody(request);
  const wanted = parseAt(newCachedContent, given.body, "");
  requireStorable(wanted.displayName, "displayName");
  await requireSpareContents(services.db, access.caller);
  const model = resolveModel(services.relay.settings, wanted.model.replace(/^models\//, ""));
  const lifetimeMs = lifetimeOf(wanted);
  const { ttl: _ttl, expireTime: _expireTime, ...content } = wanted;
  const chat = decodeBody(client, given, { model }, () => promptOf(wanted));
  const spending = spendingOf(given.body, chat);
  const { open: _open, isOpen: _isOpen, ...estimate } = estimateUsage(chat, { maxOutputTokens: 0, spending });
  const toolCalls = { [storageTool]: storageUnits(mostTokensOf(estimate, model), lifetimeMs) };
  let view: CachedContentView | undefined;
  await send(services, access, {
    model,
    estimate: { ...estimate, output: 0, toolCalls },
    raw: given.raw,
    body: { ...content, ttl: `${Math.ceil(lifetimeMs / 1_000)}s` },
    paidUntil: 0,
    async keep(made, { channel, key }) {
      view = storable(viewOf(made, wanted.model));
      const expiresAt = new Date(made.expireTime);
      const stored = {
        view,
        channelId: channel.id,
        keyId: key?.id ?? null,
        model,
        tokens: made.tokens,
        expiresAt,
      };
      await storeCachedContent(services.db, access.caller, stored);
    },
  });
  if (view === undefined) throw new Error("The cached content was not kept.");
  return view;
}

async function extend(services: GatewayServices, request: FastifyRequest): Promise<CachedContentView> {
  const access = accessOf(request);
  const wanted = parseAt(changedCachedContent, jsonBody(request).body, "");
  if ((wanted.ttl ?? wanted.expireTime ?? undefined) === undefined)
    throw invalidRequest({ reason: "cached_content_expiry_missing" }, { param: "ttl" });
  const content = await findRequested(services, request);
  const lifetimeMs = lifetimeOf(wanted);
  const paidUntil = content.expiresAt.getTime();
  const units = storageUnits(content.tokens, now() + lifetimeMs - paidUntil);
  let { view } = content;
  await send(services, access, {
    name: view.name,
    model: content.model,
    pin: { ...access.pin, home: { channel: content.channelId, key: content.keyId ?? undefined } },
    estimate: { input: 0, output: 0, ...(units > 0 ? { toolCalls: { [storageTool]: units } } : {}) },
    body: { ttl: `${Math.ceil(lifetimeMs / 1_000)}s` },
    paidUntil,
    async keep({ updateTime, expireTime }) {
      view = { ...view, updateTime, expireTime };
      await storeCachedContent(services.db, access.caller, {
        ...content,
        view,
        expiresAt: new Date(expireTime),
      });
    },
  });
  return view;
}

type Sent = Pick<CachedContentCall, "name" | "model" | "estimate" | "body" | "raw" | "paidUntil" | "keep"> &
  Partial<Pick<CachedContentCall, "pin">>;

async function send(services: GatewayServices, access: Access, sent: Sent): Promise<void> {
  const { call } = await admit<CachedContentCall>(services, {
    ...access,
    endpoint,
    needs: "caches",
    kind: "storage",
    stream: false,
    tools: false,
    calls: 1,
    ...sent,
  });
  try {
    await relayCachedContent(services.relay, call);
  } catch (error) {
    const { model } = sent;
    throw explainMissingFeature(services, error, {
      group: access.caller.group,
      model,
      reason: "model_cannot_cache",
    });
  }
}

const page = z.looseObject({
  pageSize: z.coerce.number().int().min(0).max(1_000).default(usualPage),
  pageToken: z.string().max(128).optional(),
});

async function list({ db }: GatewayServices, request: FastifyRequest) {
  const { pageSize, pageToken } = parseAt(page, request.query, "");
  const size = Math.min(pageSize || usualPage, mostPage);
  if (pageToken !== undefined) requireStorable(pageToken, "pageToken");
  // One more, because clients do not expect an empty last page.
  const found = await listCachedContents(db, accessOf(request).caller, { size: size + 1, after: pageToken });
  const cachedContents = found.slice(0, size);
  const last = cachedContents.at(-1);
  return found.length > size && last !== undefined
    ? { cachedContents, nextPageToken: last.name }
    : { cachedContents };
}

async function remove(services: GatewayServices, request: FastifyRequest): Promise<Wire> {
  const access = accessOf(request);
  const { view, channelId, keyId, model } = await findRequested(services, request);
  await deleteCachedContent(services.relay, {
    ...access,
    endpoint,
    needs: "caches",
    model,
    stream: false,
    tools: false,
    estimate: { input: 0, output: 0 },
    calls: 0,
    name: view.name,
    channelId,
    keyId,
  });
  await forgetCachedContent(services.db, view.name, access.caller);
  return {};
}

async function findRequested({ db }: GatewayServices, request: FastifyRequest): Promise<CachedContent> {
  const { id } = request.params as { id: string };
  return requireCachedContent(db, `cachedContents/${id}`, accessOf(request));
}

/** Returns a cached content of the caller's key. Throws `not_found`. */
export async function requireCachedContent(
  db: GatewayServices["db"],
  name: string,
  { caller }: Pick<Access, "caller">,
): Promise<CachedContent> {
  const found = nameForm.test(name) ? await findCachedContent(db, name, caller) : null;
  if (found !== null) return found;
  throw notFound(
    { reason: "cached_content_not_found", name: name.slice(0, 120) },
    { param: "cachedContent" },
  );
}

const nameForm = /^cachedContents\/[\w-]{1,100}$/;

function viewOf(
  { tokens, displayName, ...content }: Parameters<CachedContentCall["keep"]>[0],
  model: string,
) {
  return {
    ...content,
    ...(displayName === undefined ? {} : { displayName }),
    model: model.startsWith("models/") ? model : `models/${model}`,
    usageMetadata: { totalTokenCount: tokens },
  };
}

/** Returns the most tokens that are stored. Files may have more than their size shows, but no more than the model can read. */
function mostTokensOf({ input, mostInput, isUnseen }: Estimate, model: string): number {
  const isOpen = mostInput?.window !== undefined || isUnseen === true;
  return Math.max(input, isOpen ? contextWindowOf(model) : (mostInput?.input ?? 0));
}

/** Returns how long the content is kept from now on, in milliseconds. Throws `invalid_request`. */
function lifetimeOf({ ttl, expireTime }: Pick<NewCachedContent, "ttl" | "expireTime">): number {
  const at = expireTime ?? undefined;
  const requested = at === undefined ? (ttl ?? undefined) : `${(Date.parse(at) - now()) / 1_000}s`;
  const milliseconds = requested === undefined ? usualMs : Number.parseFloat(requested) * 1_000;
  if (milliseconds >= 1_000 && milliseconds <= mostMs) return milliseconds;
  const param = at === undefined ? "ttl" : "expireTime";
  throw invalidRequest({ reason: "cached_content_lifetime", days: mostDays }, { param });
}

/** Returns the request whose prompt is the content, for the estimate. */
function promptOf({ contents, systemInstruction, tools }: NewCachedContent): Wire {
  return {
    contents: contents ?? [{ role: "user", parts: [{ text: "" }] }],
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...(tools === undefined ? {} : { tools }),
  };
}
