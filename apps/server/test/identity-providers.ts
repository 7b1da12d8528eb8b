/** Identity providers on this machine: a real OpenID provider, and servers with the formats of the others. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

export interface LocalServer {
  url: string;
  close(): Promise<void>;
}

export interface Person {
  /** Subject id at the provider. */
  id: string;
  name?: string;
  username?: string;
  email?: string;
  emailVerified?: boolean;
  groups?: string[];
  /** Permanent id in the directory, as Entra ID sends it besides the subject id. */
  oid?: string;
  /** Further claims of the response about the person. */
  more?: Record<string, unknown>;
}

export interface OpenIdServer extends LocalServer {
  /** The user of a browser that the provider sees without a preceding call of `signIn`. */
  visitor: Person;
  client: { id: string; secret: string };
  /** Signs in at the provider's pages as this person. Returns the parameters of the redirect back. */
  signIn(authorizeUrl: string, person: Person): Promise<{ code: string; state: string; iss: string }>;
}

/** @param redirectUri the only accepted redirect address */
export async function startOpenId(redirectUri: string): Promise<OpenIdServer> {
  const client = { id: "gateway", secret: randomBytes(24).toString("hex") };
  const people = new Map<string, Person>();
  let handle: RequestListener = (_request, response) => response.end();
  const server = await listen((request, response) => handle(request, response));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const configuration: Configuration = {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    cookies: { keys: [randomBytes(16).toString("hex")] },
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "test" }] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    claims: {
      openid: ["sub", "oid"],
      profile: ["name", "preferred_username", "groups", "_claim_names"],
      email: ["email", "email_verified"],
    },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => claimsOf(personOf(id)),
    }),
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  };
  const personOf = (id: string) => people.get(id) ?? (id === openId.visitor.id ? openId.visitor : { id });
  const provider = new Provider(server.url, configuration);
  const rest = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void rest(request, response);
    void (async () => {
      const { prompt, params, session } = await provider.interactionDetails(request, response);
      if (prompt.name === "login") {
        const hint = params["login_hint"];
        const accountId = typeof hint === "string" ? hint : openId.visitor.id;
        return provider.interactionFinished(request, response, { login: { accountId } });
      }
      const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId: client.id });
      grant.addOIDCScope("openid profile email");
      const consent = { grantId: await grant.save() };
      return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
    })();
  };
  const openId: OpenIdServer = {
    ...server,
    client,
    visitor: { id: "nobody" },
    async signIn(authorizeUrl, person) {
      people.set(person.id, person);
      const start = new URL(authorizeUrl);
      start.searchParams.set("login_hint", person.id);
      const back = await walk(start, redirectUri);
      const get = (name: string) => back.searchParams.get(name) ?? "";
      if (get("error") !== "") throw new Error(`${get("error")}: ${get("error_description")}`);
      return { code: get("code"), state: get("state"), iss: get("iss") };
    },
  };
  return openId;
}

function claimsOf({ id, name, username, email, emailVerified, groups, oid, more }: Person) {
  const account = { sub: id, oid, name, preferred_username: username, groups };
  return { ...account, email, email_verified: emailVerified, ...more };
}

/** Follows redirects with cookies until the provider redirects to `home`. */
async function walk(start: URL, home: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hops = 0; hops < 12; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${url.pathname}: ${response.status} ${await response.text()}`);
    url = new URL(location, url);
    if (url.href.startsWith(home)) return url;
  }
  throw new Error("The provider never sent the browser home.");
}

export interface WireServer extends LocalServer {
  /** People by authorization code. Each code works once. */
  people: Map<string, Person>;
  credentials: { id: string; secret: string };
  /** While set, every response has this status. */
  broken: number | undefined;
}

/** GitHub: a form for the token (a rejection is a 200 with `error`), then /user and /user/emails. */
export async function startGitHub(): Promise<WireServer> {
  return wireServer(async (request, wire, tokens) => {
    const { pathname } = new URL(request.url ?? "", "http://local");
    if (pathname === "/login/oauth/access_token") {
      const form = new URLSearchParams(await textOf(request));
      const { id, secret } = wire.credentials;
      if (form.get("client_id") !== id || form.get("client_secret") !== secret)
        return { body: { error: "incorrect_client_credentials" } };
      const token = tokens.issue(form.get("code"));
      if (token === undefined) return { body: { error: "bad_verification_code" } };
      return { body: { access_token: token, token_type: "bearer", scope: "user:email" } };
    }
    const person = tokens.ownerOf(request.headers.authorization);
    if (person === undefined || request.headers["user-agent"] === undefined)
      return { status: 401, body: { message: "Bad credentials" } };
    if (pathname === "/user")
      return { body: { id: Number(person.id), login: person.username, name: person.name ?? null } };
    if (pathname !== "/user/emails") return { status: 404, body: { message: "Not Found" } };
    const { email, emailVerified = true } = person;
    return { body: email === undefined ? [] : [{ email, primary: true, verified: emailVerified }] };
  });
}

/** Lark: a token of the app, then one of the person, each in an envelope with `code`. */
export async function startLark(): Promise<WireServer> {
  return wireServer(async (request, wire, tokens) => {
    const { pathname } = new URL(request.url ?? "", "http://local");
    if (pathname === "/open-apis/auth/v3/app_access_token/internal") {
      const { app_id, app_secret } = JSON.parse(await textOf(request)) as Record<string, string>;
      const known = app_id === wire.credentials.id && app_secret === wire.credentials.secret;
      if (!known) return { body: { code: 10_014, msg: "app secret invalid" } };
      return { body: { code: 0, msg: "ok", app_access_token: "a-app", expire: 7200 } };
    }
    if (pathname === "/open-apis/authen/v1/oidc/access_token") {
      const { code, grant_type } = JSON.parse(await textOf(request)) as Record<string, string>;
      const asApp = request.headers.authorization === "Bearer a-app" && grant_type === "authorization_code";
      const token = asApp ? tokens.issue(code) : undefined;
      if (token === undefined) return { body: { code: 20_003, msg: "invalid code" } };
      return { body: { code: 0, msg: "success", data: { access_token: token, token_type: "Bearer" } } };
    }
    const person = tokens.ownerOf(request.headers.authorization);
    if (person === undefined) return { body: { code: 20_005, msg: "invalid access token" } };
    return { body: { code: 0, msg: "success", data: { open_id: person.id, name: person.name ?? "" } } };
  });
}

/** The server of a WeChat official account, which returns the person of a code. */
export async function startWeChat(): Promise<WireServer> {
  return wireServer(async (request, wire, tokens) => {
    const url = new URL(request.url ?? "", "http://local");
    if (request.headers.authorization !== wire.credentials.secret)
      return { status: 401, body: { success: false, message: "unauthorized" } };
    const person = tokens.spend(url.searchParams.get("code"));
    if (person === undefined) return { body: { success: false, message: "no such code" } };
    return { body: { success: true, message: "", data: person.id } };
  });
}

interface Tokens {
  /** Exchanges a code for a person's token. */
  issue(code: string | null | undefined): string | undefined;
  ownerOf(authorization: string | undefined): Person | undefined;
  spend(code: string | null | undefined): Person | undefined;
}

type Reply = (
  request: IncomingMessage,
  wire: WireServer,
  tokens: Tokens,
) => Promise<{ status?: number; body: unknown }>;

async function wireServer(reply: Reply): Promise<WireServer> {
  const people = new Map<string, Person>();
  const issued = new Map<string, Person>();
  const tokens: Tokens = {
    spend(code) {
      const person = people.get(code ?? "");
      people.delete(code ?? "");
      return person;
    },
    issue(code) {
      const person = tokens.spend(code);
      if (person === undefined) return undefined;
      const token = randomBytes(12).toString("hex");
      issued.set(`Bearer ${token}`, person);
      return token;
    },
    ownerOf: (authorization = "") => issued.get(authorization),
  };
  const server = await listen((request, response) => {
    void (async () => {
      const { status = 200, body } =
        wire.broken === undefined
          ? await reply(request, wire, tokens)
          : { status: wire.broken, body: { message: "out of order" } };
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    })();
  });
  const credentials = { id: "client-1", secret: "a client secret" };
  const wire: WireServer = { ...server, people, credentials, broken: undefined };
  return wire;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

async function listen(handle: RequestListener): Promise<LocalServer> {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
