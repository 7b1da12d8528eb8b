/** The log of an account of One Hub, One API or New API, read through their management API as if it were the table `logs`. */
import { setTimeout as sleep } from "node:timers/promises";
import { POINTS_PER_USD } from "@gateway/shared/billing/money";
import type { Product } from "#migration/products/product.ts";
import { ImportRefusal } from "#migration/refusal.ts";
import { int, list, record, text } from "#migration/row.ts";
import { boundedFetch } from "#platform/http/public-fetch.ts";
import type { Source, SourceRow } from "./source.ts";

interface LogApiOptions {
  product: Product;
  address: string;
  /** Access token of the account that owns the key. It is sent to this address only. */
  accessToken: string;
  /** Number of the account, which New API requires beside the token. */
  userId: number | undefined;
  keyName: string;
  until: Date;
  timeoutMs?: number;
  /** Waiting time after an answer that there were too many requests. */
  limitedMs?: number;
  /** Ends the reading. */
  signal?: AbortSignal | undefined;
}

const pageRows = 100;
const mostPages = 20_000;
const answerMs = 15_000;
const charges = 2;
/** The others limit requests per address and three minutes: One API, with ten rows per page, to 480. */
const limitedMs = 10_000;
const mostTries = 30;
const fetchBounded = boundedFetch();

export async function openLogApi(options: LogApiOptions): Promise<Source> {
  const { product, until } = options;
  const base = baseOf(options.address);
  const call = (path: string) => fetchData(base, path, options);
  const status = record(await call("/api/status"));
  const unit = Number(status["quota_per_unit"] ?? POINTS_PER_USD);
  const startsAt0 = product.id === "one-api";
  return {
    origin: base.host,
    columns: new Map([
      ["logs", new Set(list(product.known["logs"] ?? "", " "))],
      ["options", new Set(["key", "value"])],
    ]),
    async *rows({ table, atLeast }) {
      if (table === "options") yield { key: "QuotaPerUnit", value: String(unit) };
      if (table !== "logs") return;
      let seen = 0;
      for (let page = 0; page < mostPages; page += 1) {
        const number = String(startsAt0 ? page : page + 1);
        const query = new URLSearchParams({
          // One Hub's names, then those of One API and New API.
          page: number,
          size: String(pageRows),
          log_type: String(charges),
          p: number,
          page_size: String(pageRows),
          type: String(charges),
          token_name: options.keyName,
          start_timestamp: String(atLeast?.value ?? 0),
          end_timestamp: String(Math.ceil(until.getTime() / 1_000)),
        });
        const { rows, total } = pageOf(await call(`/api/log/self?${query.toString()}`), base);
        for (const [place, row] of rows.entries())
          // An account does not see the numbers of its rows.
          yield int(row, "id") > 0 ? row : { ...row, id: String(seen + place + 1) };
        seen += rows.length;
        if (rows.length === 0 || (total !== undefined && seen >= total)) return;
      }
    },
    // Its pages do not say how many rows there are.
    count: async () => 0,
    close: async () => undefined,
  };
}

function baseOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "") return url;
  throw new ImportRefusal(
    "--url takes the address of the old gateway without a path, for example https://old.example.com.",
    { isUsage: true },
  );
}

function pageOf(data: unknown, base: URL): { rows: SourceRow[]; total: number | undefined } {
  const page = record(data);
  // One API sends the rows, One Hub and New API a page of them.
  const rows = Array.isArray(data) ? data : (page["data"] ?? page["items"] ?? []);
  if (!Array.isArray(rows)) throw notAGateway(base);
  const total = Number(page["total_count"] ?? page["total"] ?? NaN);
  return { rows: rows.map(record), total: Number.isInteger(total) ? total : undefined };
}

async function fetchData(base: URL, path: string, options: LogApiOptions): Promise<unknown> {
  const { timeoutMs = answerMs } = options;
  let status: number | undefined;
  let body: unknown;
  try {
    let response = await ask(base, path, options);
    for (let tries = 1; response.status === 429 && tries < mostTries; tries += 1) {
      await response.body?.cancel();
      await sleep(options.limitedMs ?? limitedMs, undefined, { signal: options.signal });
      response = await ask(base, path, options);
    }
    status = response.status;
    body = status < 300 || status === 401 || status === 403 ? await response.json() : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError) throw notAGateway(base);
    if (cause instanceof DOMException && cause.name === "TimeoutError")
      throw new ImportRefusal(
        `${base.host} did not respond within ${timeoutMs / 1_000} seconds. Check that the old gateway is running and not overloaded, and try again.`,
        {
          cause,
          facts: { reason: "old_gateway_silent", origin: base.host, seconds: timeoutMs / 1_000 },
        },
      );
    // undici's error of a body that is longer than the limit.
    if (cause instanceof TypeError && codeOf(cause.cause) === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
      throw notAGateway(base, status, { cause });
    throw new ImportRefusal(
      `${base.host} cannot be reached. Check the address after --url, and that this machine may connect to it.`,
      { cause, facts: { reason: "old_gateway_unreachable", origin: base.host } },
    );
  }
  const answer = record(body);
  if (status === 401 || status === 403 || answer["success"] === false)
    throw new ImportRefusal(
      `${base.host} rejects the access token (HTTP ${status}). Set OLD_GATEWAY_TOKEN to the access token of the account that owns the ` +
        "key; New API also needs the user ID of this account: --user-id.",
      { facts: { reason: "old_gateway_token", origin: base.host, status } },
    );
  if (status >= 300 || answer["success"] !== true) throw notAGateway(base, status);
  return answer["data"];
}

function ask(base: URL, path: string, options: LogApiOptions): Promise<Response> {
  const { accessToken, userId, timeoutMs = answerMs, signal } = options;
  return fetchBounded(new URL(path, base), {
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(userId === undefined ? {} : { "new-api-user": String(userId) }),
    },
    // A redirect would carry the token to another address.
    redirect: "manual",
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]),
  });
}

const codeOf = (error: unknown) => text(record(error), "code");

function notAGateway(base: URL, status?: number, options?: ErrorOptions): ImportRefusal {
  return new ImportRefusal(
    `${base.host} does not respond like the management API of a gateway${status === undefined ? "" : ` (HTTP ${status})`}. Check the address after --url.`,
    { ...options, facts: { reason: "old_gateway_other", origin: base.host } },
  );
}
