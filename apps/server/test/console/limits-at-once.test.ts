import { MOST_MCP_BUNDLES, MOST_MCP_SERVERS } from "@gateway/shared/channels/mcp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";
import { during } from "#test/overlap.ts";

/** Limits on the number of rows. Requests that arrive at the same time must not exceed one together. */
let gateway: TestGateway;
let key: string;
let tokenId: number;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "voice", models: ["demo-realtime"] });
  await gateway.addPrice("demo-realtime");
  ({ key, id: tokenId } = await gateway.addToken());
});
afterAll(() => gateway.stop());

interface Limit {
  /** What requests that count these rows wait for. */
  subject(): string;
  most: number;
  /** Adds as many rows as `$1` says. */
  sql(): string;
  path: string;
  body: object;
  status: number;
}

const session = { type: "realtime", model: "demo-realtime" };
const limits: Record<string, Limit> = {
  "MCP servers": {
    subject: () => "mcp_servers",
    most: MOST_MCP_SERVERS,
    sql: () =>
      "INSERT INTO mcp_servers (name, url) SELECT 'server-' || i, 'https://mcp.example' FROM generate_series(1, $1::int) i",
    path: "/api/mcp_server",
    body: { name: "one-more", url: "https://mcp.example" },
    status: 409,
  },
  "MCP bundles": {
    subject: () => "mcp_bundles",
    most: MOST_MCP_BUNDLES,
    sql: () => "INSERT INTO mcp_bundles (name) SELECT 'bundle-' || i FROM generate_series(1, $1::int) i",
    path: "/api/mcp_bundle",
    body: { name: "one-more", servers: [] },
    status: 409,
  },
  "identity providers": {
    subject: () => "identity_providers",
    most: 50,
    sql: () => `INSERT INTO identity_providers
      (slug, name, issuer, client_id, client_secret, scopes, username_claim, groups_claim)
      SELECT 'provider-' || i, 'P', 'https://id.example', 'c', '', 'openid', 'name', 'groups'
      FROM generate_series(1, $1::int) i`,
    path: "/api/identity_provider",
    body: {
      slug: "one-more",
      name: "P",
      issuer: "https://id.example",
      client_id: "c",
      client_secret: "s",
    },
    status: 409,
  },
  "short-lived keys of a token": {
    subject: () => `realtime_secrets:${tokenId}`,
    most: 1_000,
    sql: () => `INSERT INTO realtime_secrets (key_hash, token_id, model, session, expires_at)
      SELECT decode(md5(i::text), 'hex'), ${tokenId}, 'm', '{}', now() + interval '1 hour'
      FROM generate_series(1, $1::int) i`,
    path: "/v1/realtime/client_secrets",
    body: { session },
    status: 400,
  },
};

async function add({ path, body }: Limit): Promise<{ status: number; text: string }> {
  const isCall = path.startsWith("/v1");
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: {
      authorization: isCall ? `Bearer ${key}` : testAccessToken,
      "api-version": "2",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

it.each(Object.entries(limits))(
  "%s: a request counts what another one adds meanwhile",
  async (_name, limit) => {
    const answer = await during(
      gateway.database,
      ["SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", limit.subject()],
      (client) => client.query(limit.sql(), [limit.most]),
      () => add(limit),
    );
    expect(answer.text).toContain("too_many_");
    expect(answer.status).toBe(limit.status);
  },
);
