import { mkdtemp, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseKeyReference } from "@gateway/shared/channels/key-reference";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { testKeySources } from "#test/key-references.ts";
import { createCluster } from "#test/service-account-tokens.ts";
import { startVault, type VaultServer } from "#test/vault-server.ts";
import { createKeyReader, type KeyReader } from "./read-key.ts";

/** Reads secrets of Vault with the service account of a pod. */
const cluster = createCluster();
const role = {
  namespace: "ai",
  serviceAccount: "gateway",
  audience: "vault",
  ttl: 600,
  paths: ["secret/data/openai"],
};
const MINUTE = 60_000;
let vault: VaultServer;
let folder: string;
let tokenFile: string;

beforeAll(async () => {
  vault = await startVault(cluster, {
    roles: { gateway: role, endless: { ...role, ttl: 0 }, other: { ...role, serviceAccount: "other" } },
  });
  vault.secrets.set("secret/data/openai", { key: "sk-1" });
  vault.secrets.set("secret/data/hidden", { key: "sk-2" });
});
beforeEach(async () => {
  vault.now = Date.now();
  vault.logins = [];
  folder = await mkdtemp(join(tmpdir(), "service-account-"));
  tokenFile = join(folder, "token");
  await writeFile(tokenFile, `${issue()}\n`);
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(() => vault.close());

function issue(fields: Partial<Parameters<typeof cluster.issue>[0]> = {}): string {
  return cluster.issue({
    namespace: "ai",
    name: "gateway",
    audience: "vault",
    expiresAt: Math.floor(vault.now / 1_000) + 3_600,
    ...fields,
  });
}

function readerOf(environment: Record<string, string> = {}): KeyReader {
  const variables = {
    VAULT_ADDR: vault.url,
    VAULT_ALLOWED_PATHS: "secret/data",
    VAULT_KUBERNETES_ROLE: "gateway",
    VAULT_KUBERNETES_TOKEN_FILE: tokenFile,
    ...environment,
  };
  return createKeyReader(testKeySources(variables), { now: () => vault.now });
}

async function readWith(reader: KeyReader, path = "secret/data/openai"): Promise<string> {
  const reference = parseKeyReference(`vault:${path}#key`);
  if (reference === undefined) throw new Error("This is not a reference.");
  return (await reader.read(reference, "")).text;
}

it("a secret of Vault is read with the service account of the pod, and keys that are read together share a login", async () => {
  const reader = readerOf();
  const login = Promise.withResolvers<void>();
  vault.beforeLogin = login.promise;
  const reads = Promise.all([readWith(reader), readWith(reader), readWith(reader)]);
  login.resolve();
  expect(await reads).toEqual(["sk-1", "sk-1", "sk-1"]);
  expect(await readWith(reader)).toBe("sk-1");
  expect(vault.logins).toEqual(["gateway"]);
});

it("a login is renewed before its token expires, with the token that Kubernetes has renewed meanwhile", async () => {
  const reader = readerOf();
  await unlink(tokenFile);
  await writeFile(join(folder, "first"), issue({ expiresAt: Math.floor(vault.now / 1_000) + 60 }));
  await symlink("first", tokenFile);
  await readWith(reader);
  vault.now += 7 * MINUTE;
  await readWith(reader);
  expect(vault.logins).toHaveLength(1);
  // As Kubernetes does: the link leads to another file.
  await writeFile(join(folder, "second"), issue());
  await unlink(tokenFile);
  await symlink("second", tokenFile);
  vault.now += 2 * MINUTE;
  expect(await readWith(reader)).toBe("sk-1");
  expect(vault.logins).toHaveLength(2);
});

it("a token of Vault that was revoked before its end is replaced at once", async () => {
  const reader = readerOf();
  await readWith(reader);
  vault.revokeTokens();
  expect(await readWith(reader)).toBe("sk-1");
  expect(vault.logins).toHaveLength(2);
});

it("a token of Vault without an end is used for an hour", async () => {
  const reader = readerOf({ VAULT_KUBERNETES_ROLE: "endless" });
  await readWith(reader);
  vault.now += 50 * MINUTE;
  await readWith(reader);
  expect(vault.logins).toHaveLength(1);
});

it("each refusal of Vault is named, without a token in the message", async () => {
  const expired = issue({ expiresAt: Math.floor(vault.now / 1_000) - 60 });
  const cases: [environment: Record<string, string>, token: string, message: string][] = [
    [{}, expired, "the token of the Kubernetes service account has expired (403)"],
    [
      {},
      issue({ audience: "https://kubernetes" }),
      'Vault does not accept this service account for VAULT_KUBERNETES_ROLE "gateway" (403)',
    ],
    [
      { VAULT_KUBERNETES_ROLE: "other" },
      issue(),
      'Vault does not accept this service account for VAULT_KUBERNETES_ROLE "other" (403)',
    ],
    [
      { VAULT_KUBERNETES_ROLE: "nothing" },
      issue(),
      'Vault does not know VAULT_KUBERNETES_ROLE "nothing" (400)',
    ],
    [
      { VAULT_KUBERNETES_MOUNT: "clusters/west" },
      issue(),
      'Vault has no auth method at VAULT_KUBERNETES_MOUNT "clusters/west" (404)',
    ],
    [
      {},
      `${issue()}x`,
      'Vault does not accept this service account for VAULT_KUBERNETES_ROLE "gateway" (403)',
    ],
    [{}, "not-a-token", "Vault does not accept this service account"],
    [{}, "", "the token of the Kubernetes service account cannot be read: it is empty"],
    [
      { VAULT_KUBERNETES_TOKEN_FILE: join(folder, "missing") },
      issue(),
      "the token of the Kubernetes service account cannot be read: there is no such file",
    ],
    [{ VAULT_TOKEN: "hvs.expired" }, issue(), "it has expired or was revoked (403)"],
  ];
  for (const [environment, token, message] of cases) {
    await writeFile(tokenFile, token);
    const error = await readWith(readerOf(environment)).catch((cause: unknown) => cause);
    expect(error, message).toMatchObject({ message: expect.stringContaining(message) });
    const text = String(error);
    expect(text.includes("eyJ") || text.includes("hvs."), text).toBe(false);
  }
});

it("a path that the policy of the role does not allow is named after one more login", async () => {
  const reader = readerOf();
  await expect(readWith(reader, "secret/data/hidden")).rejects.toThrow(
    "Vault does not allow the token to read this path (403)",
  );
  expect(vault.logins).toHaveLength(2);
});
