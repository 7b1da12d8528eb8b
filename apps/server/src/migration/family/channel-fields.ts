/** What the products' channels have in common, and what makes a field fit for this gateway. */
import { ChannelInput, HeaderMap } from "@gateway/shared/channels/channel";
import { type Reason, reasonOf } from "@gateway/shared/reasons";
import { keysOf } from "#domain/channels/keys.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { truncateText, decimal, deletion, int, points, seconds, text } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

type Input = ChannelRecord["input"];
const shape = ChannelInput.shape;

/** An enabled channel without keys, for products whose channels are no rows. */
export function emptyChannel(id: number): ChannelRecord {
  return channelOf({ id, status: 1 }, {});
}

/** A channel with its keys and without what is the product's own. */
export function channelOf(row: SourceRow, input: Partial<Input>): ChannelRecord {
  const status = int(row, "status");
  const id = int(row, "id");
  return {
    id,
    input: {
      ...emptyInput,
      name: truncateText(text(row, "name").trim(), 128) || `channel ${id}`,
      models: [],
      groups: [],
      ...input,
    },
    keys: keysOf(text(row, "key")).map((key) => ({ key, status: 1, reason: undefined })),
    status: status === 1 || status === 3 ? status : 2,
    statusReason: undefined,
    usedQuota: points(row, "used_quota"),
    balance: balanceOf(row),
    balanceTime: seconds(row, "balance_updated_time"),
    responseTime: Math.max(0, int(row, "response_time")),
    testTime: seconds(row, "test_time"),
    createdTime: seconds(row, "created_time"),
    deletedAt: deletion(row),
  };
}

/** Only shown, until the next request to the provider. */
function balanceOf(row: SourceRow): string {
  const balance = decimal(text(row, "balance"), 6) ?? "0";
  return Math.abs(Number(balance)) < largestBalance ? balance : "0";
}

/** The column has 14 digits before the point. */
const largestBalance = 1e14;

const {
  key: _key,
  key_mode: _mode,
  ...emptyInput
} = ChannelInput.parse({
  type: 8,
  name: "empty",
  models: ["empty"],
  groups: ["empty"],
});

/** Disables a channel. The reason is shown with the channel and in the report. */
export function disable(channel: ChannelRecord, book: ReadContext["book"], reason: Reason): void {
  if (channel.status === 1 || channel.statusReason === undefined) channel.statusReason = reason;
  channel.status = 2;
  if (channel.deletedAt === undefined) book.attention("channel_off", `channel ${channel.id}`, { reason });
}

/** The value if this gateway takes it; otherwise its default, with a note. */
export function fit<Field extends keyof Input>(
  channelId: number,
  field: Field,
  value: unknown,
  book: ReadContext["book"],
): Input[Field] {
  const parsed = shape[field].safeParse(value);
  if (parsed.success) return parsed.data as Input[Field];
  book.attention("channel_field", `channel ${channelId}`, { field });
  return field === "model_headers" ? (headersThatFit(value) as Input[Field]) : emptyInput[field];
}

/** Returns the headers that may be added. Gateways written in Go ignore most of the others, such as the host. */
function headersThatFit(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  const fitting = Object.entries(value).filter(
    ([name, header]) => HeaderMap.safeParse({ [name]: header }).success,
  );
  return HeaderMap.safeParse(Object.fromEntries(fitting)).data ?? {};
}

/** Model names without doubles; a `*` may stand at the end only. */
export function modelsOf(channelId: number, names: readonly string[], book: ReadContext["book"]): string[] {
  const models: string[] = [];
  for (const name of names) {
    const parsed = shape.models.safeParse([name]);
    if (parsed.success) models.push(name);
    else book.attention("channel_model_name", `channel ${channelId}: ${name.slice(0, 60)}`);
  }
  return [...new Set(models)];
}

/** The address without its ending slash. What is no address disables the channel. */
export function addressOf(channel: ChannelRecord, address: string, book: ReadContext["book"]): string {
  const parsed = shape.base_url.safeParse(address.trim());
  if (parsed.success && parsed.data.length <= 500) return parsed.data;
  disable(channel, book, reasonOf("importAddress"));
  return "";
}

const mostRank = 1_000_000n;

/**
 * Ranks keep their order: where one is negative, all move up, and where one is too large, they are numbered. NULL is 0, wherever the
 * source's database sorts it.
 */
export async function ranksOf({ source }: ReadContext): Promise<(row: SourceRow) => number> {
  const distinct = new Set<bigint>();
  for await (const row of source.rows({ table: "channels" })) distinct.add(points(row, "priority"));
  const sorted = [...distinct].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const lowest = sorted[0] ?? 0n;
  const shift = lowest < 0n ? -lowest : 0n;
  if ((sorted.at(-1) ?? 0n) + shift <= mostRank) return (row) => Number(points(row, "priority") + shift);
  const numbers = new Map(sorted.map((priority, number) => [priority, number]));
  return (row) => Math.min(Number(mostRank), numbers.get(points(row, "priority")) ?? 0);
}
