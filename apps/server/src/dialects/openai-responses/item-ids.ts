/**
 * Ids of output items. They contain the id of their response, so that a later request can refer to an item by
 * its id alone (`item_reference`).
 */

export type ItemPrefix = "msg" | "rs" | "fc" | "ctc" | "tsc";

const ownResponse = /^resp_(?<hex>[0-9a-f]{32})$/;
const ownItem = /^(?:msg|rs|fc|ctc|tsc)_(?<hex>[0-9a-f]{32})[0-9a-f]{4}$/;

/** Returns a generator of ids for the items of one response. */
export function itemIds(responseId: unknown): (prefix: ItemPrefix) => string {
  const hex = typeof responseId === "string" ? ownResponse.exec(responseId)?.groups?.["hex"] : undefined;
  const base = hex ?? crypto.randomUUID().replaceAll("-", "");
  let count = 0;
  return (prefix) => {
    count += 1;
    return `${prefix}_${base}${count.toString(16).padStart(4, "0")}`;
  };
}

/** Returns the id of the response that an item of ours belongs to; undefined for an id of a provider. */
export function responseOfItem(id: string): string | undefined {
  const hex = ownItem.exec(id)?.groups?.["hex"];
  return hex === undefined ? undefined : `resp_${hex}`;
}

/** Returns whether this gateway gave the id to the reasoning of a provider of another dialect. */
export function isOwnReasoning(id: string): boolean {
  return id.startsWith("rs_") && (ownItem.test(id) || /^rs_[0-9a-f]{32}$/.test(id));
}
