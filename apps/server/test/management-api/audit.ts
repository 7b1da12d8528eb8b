import { renewAccessToken } from "#domain/accounts/profile.ts";
import { openPaymentGateways } from "#payments/index.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type PaymentStandIns, startPaymentStandIns } from "#test/payment-stand-ins.ts";
import { fits, type Shape } from "./shapes.ts";

export type Transport = "token" | "cookie";
export type Method = "GET" | "POST" | "PUT" | "DELETE";
export type Row = Record<string, unknown> & { id: number };

/** A response as a caller receives it. */
export interface Response {
  status: number;
  /** The true status, from the header `Api-Status`. */
  trueStatus: number;
  text: string;
  /** The body, or an empty object when it is not JSON. */
  json: Record<string, unknown>;
}

export type Caller = (method: Method, url: string, body?: unknown) => Promise<Response>;

/**
 * Calls the management API as callers of One Hub do. Every call is checked for its HTTP status, its envelope
 * and the header `Api-Status`; differences are collected.
 */
export interface Audit {
  transport: Transport;
  site: TestConsole;
  payments: PaymentStandIns;
  /** Seconds since 1970, when the audit started. */
  now: number;
  account: { id: number; username: string };
  rootAccount: { id: number; username: string };
  root: Caller;
  user: Caller;
  callerOf(account: { id: number; username: string }): Promise<Caller>;
  /** Makes a name that no other transport uses. */
  named(name: string): string;
  /** Sends a call that One Hub accepts. Returns the body. */
  ok(caller: Caller, method: Method, url: string, body?: unknown, status?: number): Promise<Body>;
  /** Sends a call that One Hub refuses. */
  refused(caller: Caller, method: Method, url: string, body?: unknown, status?: number): Promise<void>;
  /** Checks the fields of every row. A list must not be empty. */
  rows(what: string, data: unknown, shape: Shape): void;
  /** Checks a page of a list, and returns its rows. */
  page(what: string, data: unknown): Row[];
  same(what: string, found: unknown, wanted: unknown): void;
  differences: string[];
  /** Every call so far, as method and path below /api. */
  calls: string[];
}

/** The body of a success. `row` and `list` read `data`. */
export interface Body {
  json: Record<string, unknown>;
  data: unknown;
  row: Row;
  list: Row[];
}

export interface Bench {
  site: TestConsole;
  payments: PaymentStandIns;
  close(): Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const payments = await startPaymentStandIns();
  const site = await buildConsole({ paymentGateways: openPaymentGateways(payments.at) });
  await site.services.settings.change(
    { id: null, username: "", ip: "" },
    { ServerAddress: "https://ai.example.com" },
  );
  return {
    site,
    payments,
    async close() {
      await site.close();
      await payments.close();
    },
  };
}

export async function openAudit({ site, payments }: Bench, transport: Transport): Promise<Audit> {
  const rootAccount = await site.makeUser({ role: 100, username: `root-${transport}` });
  const account = await site.makeUser({ role: 1, username: `plain-${transport}`, balance: 5_000_000n });
  const calls: string[] = [];
  const differences: string[] = [];
  const callerOf = (who: { id: number; username: string }) => openCaller(site, transport, who, calls);
  const differs = (text: string) => void differences.push(text);
  const nameOf = (method: Method, url: string, body: unknown) =>
    `${method} ${url}${body === undefined ? "" : ` ${JSON.stringify(body).slice(0, 160)}`}`;

  function same(what: string, found: unknown, wanted: unknown): void {
    const [is, shouldBe] = [JSON.stringify(found), JSON.stringify(wanted)];
    if (is !== shouldBe) differs(`${what}: ${is}, not ${shouldBe}`);
  }

  async function ok(
    caller: Caller,
    method: Method,
    url: string,
    body?: unknown,
    status = 200,
  ): Promise<Body> {
    const answer = await caller(method, url, body);
    const what = nameOf(method, url, body);
    if (answer.json["success"] !== true) differs(`${what}: refused: ${answer.text.slice(0, 300)}`);
    same(`${what}: status`, answer.status, status);
    if (typeof answer.json["message"] !== "string") differs(`${what}: no message`);
    if (!(answer.trueStatus >= 200 && answer.trueStatus < 300)) differs(`${what}: Api-Status`);
    const data = answer.json["data"];
    const list = Array.isArray(data) ? (data as Row[]) : [];
    return { json: answer.json, data, row: (data ?? {}) as Row, list };
  }

  async function refused(caller: Caller, method: Method, url: string, body?: unknown, status = 200) {
    const answer = await caller(method, url, body);
    const what = nameOf(method, url, body);
    same(`${what}: status`, answer.status, status);
    if (answer.json["success"] !== false) differs(`${what}: not refused: ${answer.text.slice(0, 200)}`);
    if (typeof answer.json["message"] !== "string" || answer.json["message"] === "")
      differs(`${what}: refused without a message`);
    if (!(answer.trueStatus >= 400)) differs(`${what}: Api-Status ${answer.trueStatus}`);
  }

  function rows(what: string, data: unknown, shape: Shape): void {
    const list = (Array.isArray(data) ? data : [data]) as (Record<string, unknown> | undefined)[];
    if (list.length === 0) differs(`${what}: no row to check`);
    for (const row of list)
      for (const [name, type] of Object.entries(shape))
        if (!fits(row?.[name], type))
          differs(`${what}: ${name} is ${JSON.stringify(row?.[name])}, not ${type}`);
  }

  function page(what: string, data: unknown): Row[] {
    const found = (data ?? {}) as Record<string, unknown>;
    rows(what, found, { page: "int", size: "int", total_count: "int", data: "list" });
    return Array.isArray(found["data"]) ? (found["data"] as Row[]) : [];
  }

  return {
    transport,
    site,
    payments,
    now: Math.floor(Date.now() / 1000),
    account,
    rootAccount,
    root: await callerOf(rootAccount),
    user: await callerOf(account),
    callerOf,
    named: (name) => `${name}-${transport}`,
    ok,
    refused,
    rows,
    page,
    same,
    differences,
    calls,
  };
}

/** What callers of One Hub announce: `curl -d` a form, others nothing or JSON. The body is always JSON. */
const contentTypes = [
  { "content-type": "application/json" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-type": "text/plain" },
  {},
];

async function openCaller(
  site: TestConsole,
  transport: Transport,
  account: { id: number; username: string },
  calls: string[],
): Promise<Caller> {
  const { db, secrets } = site.services;
  const owner = await db.user.findUniqueOrThrow({ where: { id: account.id } });
  const credential: Record<string, string> =
    transport === "token"
      ? { authorization: await renewAccessToken(db, secrets, { ...account, ip: "10.0.0.1" }, owner) }
      : { cookie: `session=${(await site.as(account)).cookie}` };
  return async (method, url, body) => {
    calls.push(`${method} ${url.split("?")[0]}`);
    const sent = calls.length;
    const response = await site.app.inject({
      method,
      url: `/api${url}`,
      headers: {
        ...credential,
        "x-forwarded-for": `10.9.${sent >> 8}.${sent & 255}`,
        ...(body === undefined ? {} : contentTypes[sent % contentTypes.length]),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const trueStatus = Number(response.headers["api-status"]);
    return { status: response.statusCode, trueStatus, text: response.body, json: read(response.body) };
  };
}

function read(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
