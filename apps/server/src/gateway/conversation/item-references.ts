import type { Wire } from "#dialects/dialect.ts";
import { responseOfItem } from "#dialects/openai-responses/item-ids.ts";
import { asRecord } from "#dialects/wire.ts";
import { findOutputs } from "#domain/responses/stored.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import { invalidRequest, notFound } from "#errors.ts";
import type { JsonBody } from "#gateway/body/json-body.ts";
import type { GatewayServices } from "#gateway/services.ts";

/** Maximum number of responses that the references of one request may belong to. */
const MAX_RESPONSES = 100;

const REFERENCE = "item_reference";

function referenceIn(item: unknown): string | undefined {
  const wire = asRecord(item);
  // The type may be omitted: only a reference consists of nothing but an id.
  const isReference =
    wire?.["type"] === REFERENCE || (wire !== undefined && !wire["type"] && Object.keys(wire).length === 1);
  const id = isReference ? wire?.["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/**
 * Returns the body with the items that its references name, for items of responses that are stored here. A
 * reference to an item that a provider stores stays as it is. Throws `not_found`.
 */
export async function withReferences(
  { db }: Pick<GatewayServices, "db">,
  { userId }: Caller,
  json: JsonBody,
): Promise<JsonBody> {
  const { input } = json.body;
  if (!Array.isArray(input)) return json;
  const named = new Set<string>();
  for (const item of input as unknown[]) {
    const id = referenceIn(item);
    const response = id === undefined ? undefined : responseOfItem(id);
    if (response !== undefined) named.add(response);
  }
  if (named.size === 0) return json;
  if (named.size > MAX_RESPONSES)
    throw invalidRequest({ reason: "too_many_references", most: MAX_RESPONSES }, { param: "input" });
  const items = new Map<unknown, Wire>();
  for (const output of await findOutputs(db, [...named], userId))
    for (const each of output) items.set(asRecord(each)?.["id"], asRecord(each) ?? {});
  const resolved = (input as unknown[]).map((item, index) => {
    const id = referenceIn(item);
    if (id === undefined || responseOfItem(id) === undefined) return item;
    const found = items.get(id);
    if (found === undefined)
      throw notFound({ reason: "item_not_found", id }, { status: 404, param: `input.${index}.id` });
    return found;
  });
  const body = { ...json.body, input: resolved };
  return { body, raw: Buffer.from(JSON.stringify(body)) };
}
