import { renewAccessToken } from "#domain/accounts/profile.ts";
import type { TestConsole } from "#test/console.ts";

/** A script written for One Hub: an access token, no Api-Version, no header of a browser. */
export interface Script {
  get<T = Row>(url: string): Promise<OlderAnswer<T>>;
  send<T = Row>(method: "POST" | "PUT" | "DELETE", url: string, body?: unknown): Promise<OlderAnswer<T>>;
}

export type Row = Record<string, unknown> & { id: number };
export type Rows = { data: Row[]; page: number; size: number; total_count: number };

export interface OlderAnswer<T> {
  sent: number;
  /** The true status. */
  status: number;
  success: boolean;
  message: string;
  code?: string;
  data: T;
  [more: string]: unknown;
}

export async function scriptOf(site: TestConsole, user: { id: number; username: string }): Promise<Script> {
  const { db, secrets } = site.services;
  const owner = await db.user.findUniqueOrThrow({ where: { id: user.id } });
  const token = await renewAccessToken(db, secrets, { ...user, ip: "10.0.0.1" }, owner);
  let requested = 0;
  async function ask<T>(
    method: "GET" | "POST" | "PUT" | "DELETE",
    url: string,
    body?: unknown,
  ): Promise<OlderAnswer<T>> {
    requested += 1;
    const response = await site.app.inject({
      method,
      url: `/api${url}`,
      headers: {
        authorization: token,
        // Rate limits have their own test.
        "x-forwarded-for": `10.5.${requested >> 8}.${requested & 255}`,
        ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const type = String(response.headers["content-type"]);
    if (type !== "application/json; charset=utf-8") throw new Error(`${method} ${url} sent ${type}`);
    const status = Number(response.headers["api-status"]);
    return { ...response.json<OlderAnswer<T>>(), sent: response.statusCode, status };
  }
  return {
    get: (url) => ask("GET", url),
    send: (method, url, body) => ask(method, url, body),
  };
}
