import { withinCost } from "#dialects/cost-fields.ts";
import type { Address, Dialect, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { defineAccessors, longTextsOf, rememberLongTexts, withPlaceholders } from "#platform/long-texts.ts";
import { type JsonBody, jsonBytes } from "./json-body.ts";

/** A chat body decoded without making text of what only passes through it. */

/**
 * Nearly always a dialect passes texts on as they are: then the long ones stay bytes.
 * @param select returns the part of the body to decode, where that is not the body itself. Throws `invalid_request`.
 */
export function decodeBody(
  client: Dialect,
  { raw, body }: JsonBody,
  address: Address,
  select = (given: Wire) => given,
): ChatRequest {
  const long = longTextsOf(raw);
  if (long === undefined) return client.decodeRequest(select(body), address);
  const request = withPlaceholders(() => client.decodeRequest(select(body), address));
  // Some texts a dialect makes something else of: these it must be given.
  return defineAccessors(request, long) ? request : client.decodeRequest(select(body), address);
}

/** The request as its provider will get it: with one output limit, without what its bill could not show. */
export function affordable(client: Dialect, json: JsonBody): { json: JsonBody; dropped: readonly string[] } {
  const { body, dropped } = withPlaceholders(() => withinCost(client.id, json.body));
  if (body === json.body) return { json, dropped };
  const long = longTextsOf(json.raw);
  const raw = jsonBytes(body, long);
  if (long !== undefined) {
    rememberLongTexts(raw, long);
    defineAccessors(body, long);
  }
  return { json: { ...json, body, raw }, dropped };
}
