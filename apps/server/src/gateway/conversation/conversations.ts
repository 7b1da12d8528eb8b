/**
 * `/v1/conversations`: the conversations that a response's `conversation` refers to. Stored here, so every
 * provider can be used.
 */
import { because } from "@gateway/shared/errors/issue";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { parseAt } from "#dialects/wire.ts";
import {
  addItems,
  closeConversation,
  type Conversation,
  findConversation,
  type Item,
  openConversation,
  removeItem,
  setMetadata,
} from "#domain/responses/conversations.ts";
import { creditOf } from "#domain/tokens/credit.ts";
import { insufficientQuota, notFound } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { isJsonBody } from "#gateway/body/json-body.ts";
import { requireStorable } from "#gateway/body/storable.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { unixTime } from "#platform/clock.ts";
import { itemsGiven } from "./conversation-items.ts";
import { encodeItem, encodePage, pageOf } from "./item-page.ts";

/** OpenAI's limit. */
const MOST_METADATA = 16;
const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((given) => Object.keys(given).length <= MOST_METADATA, because("pairs_too_many"))
  .nullish();
const Metadata = z.looseObject({ metadata });

export function conversationRoutes(app: FastifyInstance, services: GatewayServices): void {
  const { db } = services;
  const path = "/v1/conversations/:id";
  const callerOf = (request: FastifyRequest) => accessOf(request).caller;
  const idOf = (request: FastifyRequest) => (request.params as { id: string }).id;

  /** Returns the caller. Throws for one without credit: who cannot pay must not store data. */
  async function payingCaller(request: FastifyRequest) {
    const caller = callerOf(request);
    if ((await creditOf(db, caller, services.relay.settings.current().QuotaPerUnit)).left <= 0n)
      throw insufficientQuota();
    return caller;
  }

  app.post("/v1/conversations", async (request) => {
    const caller = await payingCaller(request);
    const body = bodyOf(request);
    const { metadata: given } = parseAt(Metadata, body, "");
    requireStorable(given, "metadata");
    return encodeConversation(
      await openConversation(db, caller, {
        items: itemsGiven(body["items"], "items"),
        metadata: given ?? {},
      }),
    );
  });
  app.get(path, async (request) => {
    const { userId } = callerOf(request);
    return encodeConversation(await findConversation(db, idOf(request), userId));
  });
  app.post(path, async (request) => {
    const { userId } = callerOf(request);
    const { metadata: given } = parseAt(Metadata, bodyOf(request), "");
    requireStorable(given, "metadata");
    const found = await findConversation(db, idOf(request), userId);
    await setMetadata(db, found.id, userId, given ?? {});
    return encodeConversation({ ...found, metadata: given ?? {} });
  });
  app.delete(path, async (request) => {
    const { userId } = callerOf(request);
    const { id } = await findConversation(db, idOf(request), userId);
    await closeConversation(db, id, userId);
    return { id, object: "conversation.deleted", deleted: true };
  });
  app.post(`${path}/items`, async (request) => {
    const { userId } = await payingCaller(request);
    const items = itemsGiven(bodyOf(request)["items"], "items");
    await addItems(db, idOf(request), userId, items);
    return encodePage(items, false);
  });
  app.get(`${path}/items`, async (request) => {
    const { userId } = callerOf(request);
    const { items } = await findConversation(db, idOf(request), userId);
    return pageOf(items, request.query);
  });
  app.get(`${path}/items/:item`, async (request) => {
    const { userId } = callerOf(request);
    return encodeItem(itemOf(await findConversation(db, idOf(request), userId), request));
  });
  app.delete(`${path}/items/:item`, async (request) => {
    const { userId } = callerOf(request);
    const found = await findConversation(db, idOf(request), userId);
    await removeItem(db, found.id, userId, itemOf(found, request).id);
    return encodeConversation(found);
  });
}

function bodyOf(request: FastifyRequest): Record<string, unknown> {
  return isJsonBody(request.body) ? request.body.body : {};
}

function itemOf({ items }: Conversation, request: FastifyRequest): Item {
  const { item: id } = request.params as { item: string };
  const found = items.find((item) => item.id === id);
  if (found === undefined) throw notFound({ reason: "item_not_found", id });
  return found;
}

function encodeConversation({ id, createdAt, metadata: stored }: Conversation) {
  const seconds = unixTime(createdAt);
  return { id, object: "conversation", created_at: seconds, metadata: stored };
}
