import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { parseKeyReference } from "@gateway/shared/channels/key-reference";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type EntraServer, startEntra, tokenAudience } from "#test/entra-server.ts";
import { testKeySources } from "#test/key-references.ts";
import { createCluster } from "#test/service-account-tokens.ts";
import { createKeyReader } from "./read-key.ts";

/** Keys of channels in a pod of AKS that has a workload identity. */
const cluster = createCluster();
const tenant = "00000000-0000-4000-8000-00000000000b";
const podIdentity = "00000000-0000-4000-8000-00000000000c";
const scope = "https://cognitiveservices.azure.com";
let entra: EntraServer;
let folder: string;
let tokenFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "workload-identity-"));
  tokenFile = join(folder, "azure-identity-token");
  entra = await startEntra(cluster, { folder, tenant, subject: "ai:gateway" });
  setDefaultCACertificates([...getCACertificates("default"), entra.authority]);
});
beforeEach(async () => {
  entra.issued = [];
  entra.isSilent = false;
  await writeFile(tokenFile, issue());
});
afterAll(async () => {
  await entra.close();
  await rm(folder, { recursive: true });
});

function issue(fields: Partial<Parameters<typeof cluster.issue>[0]> = {}): string {
  const expiresAt = Math.floor(Date.now() / 1_000) + 3_600;
  return cluster.issue({ namespace: "ai", name: "gateway", audience: tokenAudience, expiresAt, ...fields });
}

function read(text = "azure:", environment: Record<string, string> = {}, timeoutMs = 10_000) {
  const reference = parseKeyReference(text);
  if (reference === undefined) throw new Error(`${text} is not a reference.`);
  const variables = {
    AZURE_FEDERATED_TOKEN_FILE: tokenFile,
    AZURE_TENANT_ID: tenant,
    AZURE_CLIENT_ID: podIdentity,
    AZURE_AUTHORITY_HOST: `${entra.url}/`,
    ...environment,
  };
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  return createKeyReader(testKeySources(given), { now: Date.now, timeoutMs }).read(reference, scope);
}

it("a pod's token is exchanged for one of its workload identity, or of the identity that the reference names", async () => {
  const { text, expiresAt = 0 } = await read();
  expect(text).toBe("Bearer eyJ.azure");
  expect(Math.abs(expiresAt - Date.now() - 3_599_000)).toBeLessThan(60_000);
  const other = "00000000-0000-4000-8000-00000000000d";
  await read(`azure:?client_id=${other}`);
  const issuedTo = (clientId: string) => ({ clientId, scope: expect.stringContaining(`${scope}/.default`) });
  expect(entra.issued).toEqual([issuedTo(podIdentity), issuedTo(other)]);
});

it("the token of a pod is read from its file each time", async () => {
  await writeFile(tokenFile, issue({ expiresAt: 1_000 }));
  await expect(read()).rejects.toThrow("AADSTS700024: Client assertion is not within its valid time range");
  await writeFile(tokenFile, issue());
  expect((await read()).text).toBe("Bearer eyJ.azure");
});

it("each failure of a workload identity is named, without a token in the message", async () => {
  const cases: [environment: Record<string, string>, token: string, message: string][] = [
    [{}, issue({ name: "other" }), "AADSTS700213: No matching federated identity record"],
    [{}, "not-a-token", "AADSTS50013"],
    [{}, "", "AZURE_FEDERATED_TOKEN_FILE cannot be read: it is empty"],
    [
      { AZURE_FEDERATED_TOKEN_FILE: join(folder, "missing") },
      issue(),
      "AZURE_FEDERATED_TOKEN_FILE cannot be read: there is no such file",
    ],
    [{ AZURE_TENANT_ID: "" }, issue(), "AZURE_TENANT_ID is not set"],
    [{ AZURE_CLIENT_ID: "" }, issue(), "the reference has no client_id, and AZURE_CLIENT_ID is not set"],
  ];
  for (const [environment, token, message] of cases) {
    await writeFile(tokenFile, token);
    const error = await read("azure:", environment).catch((cause: unknown) => cause);
    expect(error, message).toMatchObject({ message: expect.stringContaining(message) });
    expect(String(error)).not.toContain("eyJ");
  }
  expect(entra.issued).toEqual([]);
});

it("an authority that does not respond is given up", async () => {
  entra.isSilent = true;
  await expect(read("azure:", {}, 300)).rejects.toThrow("not read within 0.3 seconds");
});
