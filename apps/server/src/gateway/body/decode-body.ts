import type { Address, ClientDialect, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { withinCost } from "#dialects/usage/cost-fields.ts";
import {
  defineAccessors,
  longTextsOf,
  rememberLongTexts,
  withPlaceholders,
} from "#platform/memory/long-texts.ts";
import { type JsonBody, jsonBytes } from "./json-body.ts";

/**
 * Decodes a chat body. Dialects almost always pass texts on unchanged, so long ones stay bytes.
 * @param select returns the part of the body to decode, where it is not the whole body. Throws
 * `invalid_request`.
 */
export function decodeBody(
  client: ClientDialect,
  { raw, body }: JsonBody,
  address: Address,
  select = (given: Wire) => given,
): ChatRequest {
  const long = longTextsOf(raw);
  if (long === undefined) return client.decodeRequest(select(body), address);
  const request = withPlaceholders(() => client.decodeRequest(select(body), address));
  // If a dialect transforms a long text, decode again with the real texts.
  return defineAccessors(request, long) ? request : client.decodeRequest(select(body), address);
}

/**
 * Returns the request for the provider: with one output limit, and without fields whose cost cannot be
 * billed.
 */
export function limitCost(
  client: ClientDialect,
  json: JsonBody,
): { json: JsonBody; dropped: readonly string[] } {
  const { body, dropped } = withPlaceholders(() => withinCost(client.id, json.body));
  return { json: withBody(json, body), dropped };
}

/** Returns the request with another body, whose long texts are those of the request. */
export function withBody(json: JsonBody, body: Wire): JsonBody {
  if (body === json.body) return json;
  const long = longTextsOf(json.raw);
  const raw = jsonBytes(body, long);
  if (long !== undefined) {
    rememberLongTexts(raw, long);
    defineAccessors(body, long);
  }
  return { ...json, body, raw };
}
