import type { ReadContext } from "#migration/products/product.ts";
import type { ChargeSample, LogRecord, UsageRecord } from "#migration/records.ts";
import { truncateText, json, list, points, record, stamp, text, whole } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";
import { accountsOf } from "./accounts.ts";
import { dollars, dollarsOf, pointsOf, ratioOf } from "./dollars.ts";
import { keyIds } from "./keys.ts";

const daily = "LiteLLM_DailyUserSpend";
const spendLogs = "LiteLLM_SpendLogs";
/** Requests and responses, which can have megabytes. */
const bodies = ["messages", "response", "proxy_server_request"];
const keys = "LiteLLM_VerificationToken";

/** Account that pays for each key, by the key's hash. */
async function payersOf(context: ReadContext): Promise<Map<string, number>> {
  const accounts = await accountsOf(context);
  const payers = new Map<string, number>();
  for await (const row of context.source.rows({ table: keys }))
    payers.set(text(row, "token"), accounts.payerOf(row).id);
  return payers;
}

export async function* litellmUsage(context: ReadContext): AsyncGenerator<UsageRecord> {
  const { source, book } = context;
  if (!source.columns.has(daily)) return;
  const payers = await payersOf(context);
  const accounts = await accountsOf(context);
  for await (const row of source.rows({ table: daily, orderBy: "date" })) {
    book.read("daily_usage");
    const hour = new Date(`${text(row, "date").slice(0, 10)}T00:00:00Z`);
    const userId = payers.get(text(row, "api_key")) ?? accounts.find(`user:${text(row, "user_id")}`)?.id;
    if (Number.isNaN(hour.getTime()) || userId === undefined) {
      book.skip("daily_usage", "usage_date");
      continue;
    }
    yield {
      hour,
      userId,
      channelId: 0,
      model: truncateText(text(row, "model_group") || text(row, "model"), 160),
      group: "default",
      requests: points(row, "successful_requests"),
      quota: pointsOf(Math.max(0, dollars(row, "spend") ?? 0)),
      promptTokens: points(row, "prompt_tokens"),
      completionTokens: points(row, "completion_tokens"),
      requestTime: 0n,
    };
  }
}

export async function* litellmLogs(context: ReadContext, since: Date): AsyncGenerator<LogRecord> {
  const { source, book } = context;
  if (!source.columns.has(spendLogs)) return;
  const payers = await payersOf(context);
  const ids = await keyIds(context);
  const accounts = new Map((await accountsOf(context)).all.map((account) => [account.id, account.key]));
  const atLeast = { column: "startTime", value: since.toISOString() };
  for await (const row of source.rows({ table: spendLogs, orderBy: "startTime", atLeast, except: bodies })) {
    book.read("logs");
    const createdAt = stamp(row, "startTime");
    const key = text(row, "api_key");
    const userId = payers.get(key);
    if (createdAt === undefined || userId === undefined) {
      book.skip("logs", "log_owner");
      continue;
    }
    const tags = json(row, "request_tags");
    yield {
      id: text(row, "request_id"),
      createdAt,
      requestId: truncateText(text(row, "request_id"), 64),
      answerId: text(row, "litellm_call_id") || undefined,
      type: text(row, "status") === "failure" ? 5 : 2,
      userId,
      username: truncateText((accounts.get(userId) ?? "").replace(/^\w+:/, ""), 64),
      tokenId: ids.get(key) ?? 0,
      tokenName: truncateText(text(row, "metadata") === "" ? "" : aliasOf(row), 64),
      channelId: 0,
      group: "default",
      backupGroup: false,
      model: truncateText(text(row, "model_group") || text(row, "model"), 160),
      upstreamModel: truncateText(text(row, "model"), 160),
      isStream:
        text(row, "completionStartTime") !== "" && text(row, "completionStartTime") !== text(row, "endTime"),
      content: Array.isArray(tags) ? list(tags.join(",")).join(", ") : "",
      promptTokens: whole(row, "prompt_tokens"),
      completionTokens: whole(row, "completion_tokens"),
      quota: pointsOf(Math.max(0, dollars(row, "spend") ?? 0)),
      requestTime: Math.max(
        0,
        (stamp(row, "endTime")?.getTime() ?? createdAt.getTime()) - createdAt.getTime(),
      ),
      firstByteTime: Math.max(
        0,
        (stamp(row, "completionStartTime")?.getTime() ?? createdAt.getTime()) - createdAt.getTime(),
      ),
      ip: truncateText(text(row, "requester_ip_address"), 64),
    };
  }
}

function aliasOf(row: SourceRow): string {
  const alias = record(json(row, "metadata"))["user_api_key_alias"];
  return typeof alias === "string" ? alias : "";
}

const samples = 300;

/** Newest charges that say what the price was; the others cannot be compared. */
export async function* litellmCharges({ source }: ReadContext): AsyncGenerator<ChargeSample> {
  if (!source.columns.has(spendLogs)) return;
  for await (const row of source.rows({
    table: spendLogs,
    except: bodies,
    orderBy: "startTime",
    descending: true,
    limit: samples,
  })) {
    const sample = sampleOf(row);
    if (sample !== undefined) yield sample;
  }
}

function sampleOf(row: SourceRow): ChargeSample | undefined {
  const metadata = record(json(row, "metadata"));
  const price = record(record(metadata["model_map_information"])["model_map_value"]);
  const details = record(record(metadata["usage_object"])["prompt_tokens_details"]);
  const input = dollarsOf(price["input_cost_per_token"]);
  const output = dollarsOf(price["output_cost_per_token"]);
  const spend = dollars(row, "spend");
  const isPlain =
    Object.values(details).every((value) => !Number(value)) &&
    text(row, "cache_hit").toLowerCase() !== "true";
  if (input === undefined || output === undefined || spend === undefined || spend <= 0 || !isPlain)
    return undefined;
  return {
    label: `request ${text(row, "request_id")}`,
    model: text(row, "model_group") || text(row, "model"),
    groupRatio: "1",
    usage: {
      input: Math.max(0, whole(row, "prompt_tokens")),
      output: Math.max(0, whole(row, "completion_tokens")),
    },
    charged: pointsOf(spend),
    // It keeps fractions, this gateway rounds up.
    tolerance: 1n,
    same: (here) =>
      Number(here.input) === Number(ratioOf(input)) && Number(here.output) === Number(ratioOf(output)),
  };
}

/** First trace of the source. */
export async function litellmStart({ source }: ReadContext): Promise<Date | undefined> {
  const found: number[] = [];
  for (const [table, column] of [
    [daily, "date"],
    [spendLogs, "startTime"],
    ["LiteLLM_UserTable", "created_at"],
  ] as const)
    if (source.columns.get(table)?.has(column) === true)
      for await (const row of source.rows({ table, orderBy: column, limit: 1 })) {
        const at = Date.parse(text(row, column).slice(0, 10));
        if (at > 0) found.push(at);
      }
  return found.length === 0 ? undefined : new Date(Math.min(...found));
}
