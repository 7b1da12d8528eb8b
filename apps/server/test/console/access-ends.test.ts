import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Revoked credentials stop working on every node within a second, at every endpoint. */
let here: TestGateway;
let there: TestGateway;
let people = 0;
const password = "a long password";

beforeAll(async () => {
  here = await startTestGateway();
  there = await startTestGateway({}, here);
  await here.addChannel({ type: 900, name: "demo" });
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

interface Person {
  id: number;
  username: string;
  cookie: string;
  accessToken: string;
  key: string;
  tokenId: number;
}

async function ask(
  node: TestGateway,
  method: string,
  path: string,
  given: { cookie?: string; body?: object },
) {
  people += 1;
  const response = await fetch(`${node.url}${path}`, {
    method,
    headers: {
      "api-version": "2",
      "x-forwarded-for": `10.9.${people >> 8}.${people & 255}`,
      origin: node.url,
      ...(given.cookie === undefined ? {} : { cookie: given.cookie }),
      ...(given.body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: given.body === undefined ? null : JSON.stringify(given.body),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return {
    status: response.status,
    cookie,
    body: (await response.json()) as { data: Record<string, unknown> },
  };
}

const logIn = (username: string, secret = password) =>
  ask(here, "POST", "/api/user/login", { body: { username, password: secret } });

/** Creates an administrator with every kind of credential. */
async function makePerson(): Promise<Person> {
  people += 1;
  const username = `person-${people}`;
  const { id } = await here.api<{ id: number }>("POST", "/user", {
    username,
    password,
    display_name: "",
    role: 10,
    group: "default",
    quota: 1_000_000,
  });
  return withCredentials(id, username);
}

/** Signs in, and creates every other kind of credential. */
async function withCredentials(id: number, username: string): Promise<Person> {
  const { cookie } = await logIn(username);
  const token = await ask(here, "POST", "/api/user/token", { cookie, body: { password } });
  const made = await ask(here, "POST", "/api/token", { cookie, body: { name: "mine" } });
  return {
    id,
    username,
    cookie,
    accessToken: String(token.body.data["token"]),
    key: String(made.body.data["key"]),
    tokenId: Number(made.body.data["id"]),
  };
}

const statusOf = async (response: Promise<Response>): Promise<number> => {
  const answer = await response;
  await answer.text();
  return answer.status;
};

/** Returns requests to one node, one for each place that accepts a credential. */
function uses(node: TestGateway, { cookie, accessToken, key }: Person) {
  const get = (path: string, headers: Record<string, string>) =>
    statusOf(fetch(`${node.url}${path}`, { headers: { "api-version": "2", ...headers } }));
  const basic = Buffer.from(`any:${accessToken}`).toString("base64");
  const chat = () =>
    statusOf(
      fetch(`${node.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
      }),
    );
  return {
    session: () => get("/api/user/self", { cookie }),
    accessToken: () => get("/api/user/self", { authorization: accessToken }),
    bearer: () => get("/api/user/self", { authorization: `Bearer ${accessToken}` }),
    metrics: () => get("/metrics", { authorization: `Bearer ${accessToken}` }),
    metricsBasic: () => get("/metrics", { authorization: `Basic ${basic}` }),
    apiMetrics: () => get("/api/metrics", { authorization: accessToken }),
    chat,
    models: () => get("/v1/models", { authorization: `Bearer ${key}` }),
    balance: () => get("/v1/dashboard/billing/subscription", { authorization: `Bearer ${key}` }),
  };
}
type Use = keyof ReturnType<typeof uses>;
const byKey: Use[] = ["chat", "models", "balance"];
const byAccount: Use[] = ["session", "accessToken", "bearer", "metrics", "metricsBasic", "apiMetrics"];

async function allWork(person: Person, names: Use[]): Promise<void> {
  for (const node of [here, there])
    for (const name of names) expect(await uses(node, person)[name](), name).toBe(200);
}

/**
 * Expects the credentials to fail on both nodes well before a node reads its cached account again, after a
 * minute.
 */
async function allEnd(person: Person, names: Use[]): Promise<void> {
  for (const node of [here, there])
    for (const name of names)
      await expect.poll(uses(node, person)[name], { interval: 20, message: name }).toBeGreaterThan(400);
}

describe("credentials of an account", () => {
  it("all end when the directory of its provider deactivates the person", async () => {
    const { id: provider } = await here.api<{ id: number }>("POST", "/identity_provider", {
      slug: "acme",
      name: "Acme",
      issuer: "https://id.acme.test",
      client_id: "gateway",
      client_secret: "secret",
    });
    const { token } = await here.api<{ token: string }>("POST", `/identity_provider/${provider}/scim_token`);
    const scim = async (method: string, path: string, body: object) => {
      const response = await fetch(`${there.url}/scim/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { id: string };
    };
    const { id: scimId } = await scim("POST", "/Users", { userName: "scim-leaver", externalId: "1" });
    const { data } = await here.api<{ data: { id: number }[] }>("GET", "/user?keyword=scim-leaver");
    const id = data[0]?.id ?? 0;
    await here.api("PUT", "/user", { id, password });
    await here.api("POST", `/user/quota/${id}`, { quota: 1_000_000, remark: "" });
    const person = await withCredentials(id, "scim-leaver");
    const names: Use[] = ["session", "accessToken", "bearer", ...byKey];
    await allWork(person, names);
    const Operations = [{ op: "replace", path: "active", value: false }];
    await scim("PATCH", `/Users/${scimId}`, { Operations });
    await allEnd(person, names);
    expect((await logIn(person.username)).status).toBe(403);
  });

  it("all end when the account is disabled, and only the keys work again later", async () => {
    const person = await makePerson();
    await allWork(person, [...byAccount, ...byKey]);
    await here.api("POST", "/user/manage", { username: person.username, action: "disable" });
    await allEnd(person, [...byAccount, ...byKey]);
    expect((await logIn(person.username)).status).toBe(403);
    await here.api("POST", "/user/manage", { username: person.username, action: "enable" });
    for (const name of byKey) await expect.poll(uses(there, person)[name]).toBe(200);
    await allEnd(person, byAccount);
  });

  it("all end when the account is deleted", async () => {
    const person = await makePerson();
    await allWork(person, [...byAccount, ...byKey]);
    await here.api("DELETE", `/user/${person.id}`);
    await allEnd(person, [...byAccount, ...byKey]);
  });

  it("end when the owner changes the password, except keys and the current session", async () => {
    const person = await makePerson();
    const other = await logIn(person.username);
    const change = { current_password: password, password: "another long password" };
    const answer = await ask(here, "PUT", "/api/user/self/password", { cookie: person.cookie, body: change });
    expect(answer.status).toBe(200);
    await allEnd({ ...person, cookie: other.cookie }, byAccount);
    await allWork(person, ["session", ...byKey]);
  });

  it("end when an administrator sets the password, except keys", async () => {
    const person = await makePerson();
    await here.api("PUT", "/user", { id: person.id, password: "another long password" });
    await allEnd(person, byAccount);
    await allWork(person, byKey);
    expect((await logIn(person.username, "another long password")).status).toBe(200);
  });

  it("a token's key ends when the token is disabled or deleted", async () => {
    const person = await makePerson();
    await allWork(person, byKey);
    const { cookie, tokenId } = person;
    await ask(there, "PATCH", `/api/token/${tokenId}`, { cookie, body: { status: 2 } });
    await allEnd(person, byKey);
    await ask(here, "PATCH", `/api/token/${tokenId}`, { cookie, body: { status: 1 } });
    await expect.poll(uses(there, person).chat).toBe(200);
    await ask(there, "DELETE", `/api/token/${tokenId}`, { cookie });
    await allEnd(person, byKey);
  });

  it("read no metrics without permission for analytics, or with a lower role", async () => {
    const metrics: Use[] = ["metrics", "metricsBasic", "apiMetrics"];
    const person = await makePerson();
    await allWork(person, metrics);
    await here.api("PUT", "/user", { id: person.id, permissions: { channels: "edit" } });
    await allEnd(person, metrics);
    await here.api("PUT", "/user", { id: person.id, permissions: { analytics: "view" } });
    await allWork(person, metrics);
    await here.api("PUT", "/user", { id: person.id, role: 1 });
    await allEnd(person, metrics);
  });

  it("end an open event stream when the account or its rights change", async () => {
    const changes = {
      disabled: async ({ username }: Person) =>
        here.api("POST", "/user/manage", { username, action: "disable" }),
      demoted: async ({ username }: Person) =>
        here.api("POST", "/user/manage", { username, action: "demote" }),
      "given fewer rights": async ({ id }: Person) =>
        here.api("PUT", "/user", { id, permissions: { logs: "view" } }),
      "signed out": async ({ cookie }: Person) => ask(here, "POST", "/api/user/logout", { cookie, body: {} }),
    };
    await Promise.all(
      Object.entries(changes).map(async ([name, change]) => {
        const person = await makePerson();
        const by = name === "demoted" ? { authorization: person.accessToken } : { cookie: person.cookie };
        const open = (path: string) =>
          fetch(`${there.url}/api${path}`, { headers: { "api-version": "2", ...by } });
        const answers = await Promise.all([
          open("/overview/events?seen=0"),
          open("/user/dashboard/events?seen=0"),
        ]);
        for (const answer of answers) expect(answer.status, name).toBe(200);
        await change(person);
        // An allowed stream would be open for five minutes.
        await Promise.all(answers.map((answer) => answer.text()));
      }),
    );
  });

  it("do not work for rows that were disabled directly in the database", async () => {
    const person = await makePerson();
    await here.database.db.user.update({ where: { id: person.id }, data: { status: 2 } });
    await allEnd(person, byAccount);
  });
});
