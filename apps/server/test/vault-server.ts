import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestCluster } from "#test/service-account-tokens.ts";

/** A role of Vault's Kubernetes auth method. */
interface VaultRole {
  namespace: string;
  serviceAccount: string;
  audience: string;
  /** Seconds that its tokens are valid; 0 = they do not expire. */
  ttl: number;
  /** Paths that its policy allows. */
  paths: string[];
}

export interface VaultServer {
  url: string;
  /** Current time of Vault, in milliseconds. */
  now: number;
  /** Fields of secrets by path. */
  secrets: Map<string, Record<string, string>>;
  /** Roles that signed in. */
  logins: string[];
  /** Vault does not respond to logins until this resolves. */
  beforeLogin: Promise<void>;
  revokeTokens(): void;
  close(): Promise<void>;
}

type Answer = [status: number, body: object];

const denied: Answer = [403, { errors: ["permission denied"] }];
/** As Vault 1.20 answers. */
const invalidToken: Answer = [
  403,
  { errors: ["2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"] },
];

/**
 * The part of Vault's API that reads secrets after a login with the token of a service account
 * (https://developer.hashicorp.com/vault/api-docs/auth/kubernetes#login). The cluster reviews the token.
 */
export async function startVault(
  cluster: TestCluster,
  { mount = "kubernetes", roles }: { mount?: string; roles: Record<string, VaultRole> },
): Promise<VaultServer> {
  let tokens = new Map<string, { role: VaultRole; until: number }>();

  function signIn({ role: name, jwt }: { role: string; jwt: string }): Answer {
    const role = roles[name];
    if (role === undefined) return [400, { errors: [`invalid role name "${name}"`] }];
    const account = cluster.review(jwt);
    if (account === undefined || account.expiresAt * 1_000 <= vault.now) return denied;
    if (account.namespace !== role.namespace || account.name !== role.serviceAccount) return denied;
    if (account.audience !== role.audience) return denied;
    vault.logins.push(name);
    const token = `hvs.${randomUUID()}`;
    tokens.set(token, { role, until: role.ttl === 0 ? Infinity : vault.now + role.ttl * 1_000 });
    const auth = {
      client_token: token,
      accessor: randomUUID(),
      policies: ["default"],
      metadata: { role: name, service_account_name: account.name },
      lease_duration: role.ttl,
      renewable: true,
    };
    return [200, { auth, data: null, lease_id: "", lease_duration: 0, renewable: false }];
  }

  function readSecret(path: string, header: string | undefined): Answer {
    const token = tokens.get(header ?? "");
    if (token === undefined || token.until <= vault.now) return invalidToken;
    if (!token.role.paths.includes(path)) return denied;
    const data = vault.secrets.get(path);
    if (data === undefined) return [404, { errors: [] }];
    return [200, { lease_duration: 2_764_800, data: { data, metadata: { version: 1 } } }];
  }

  async function answer({ method, url = "", headers }: IncomingMessage, body: string): Promise<Answer> {
    const path = url.slice("/v1/".length);
    if (method === "GET") return readSecret(path, headers["x-vault-token"] as string | undefined);
    if (path !== `auth/${mount}/login`) return [404, { errors: [`no handler for route "${path}"`] }];
    await vault.beforeLogin;
    return signIn(JSON.parse(body) as { role: string; jwt: string });
  }

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      void answer(request, body).then(([status, value]) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value)),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const vault: VaultServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    now: Date.now(),
    secrets: new Map(),
    logins: [],
    beforeLogin: Promise.resolve(),
    revokeTokens: () => {
      tokens = new Map();
    },
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return vault;
}
