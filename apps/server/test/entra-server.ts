import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeAuthority, makeCertificate } from "#test/certificates.ts";
import type { TestCluster } from "#test/service-account-tokens.ts";

export interface EntraServer {
  url: string;
  /** Certificate of the authority that signed that of the server. */
  authority: string;
  /** Resources for which tokens were issued. */
  issued: { clientId: string; scope: string }[];
  isSilent: boolean;
  close(): Promise<void>;
}

export const tokenAudience = "api://AzureADTokenExchange";

/**
 * The part of Microsoft Entra ID that exchanges the token of a service account for one of Azure
 * (https://learn.microsoft.com/entra/workload-id/workload-identity-federation). It accepts one subject.
 * @param folder for its certificate
 */
export async function startEntra(
  cluster: TestCluster,
  { folder, tenant, subject }: { folder: string; tenant: string; subject: string },
): Promise<EntraServer> {
  await makeAuthority(`${folder}/ca`);
  await makeCertificate(`${folder}/ca`, `${folder}/server`, "localhost");

  function exchange(form: URLSearchParams): [status: number, body: object] {
    const account = cluster.review(form.get("client_assertion") ?? "");
    const refused = (description: string): [number, object] => [
      401,
      { error: "invalid_client", error_description: `${description} Trace ID: t Correlation ID: c` },
    ];
    const isForm =
      form.get("grant_type") === "client_credentials" &&
      form.get("client_assertion_type") === "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    if (!isForm) return [400, { error: "invalid_request" }];
    if (account === undefined) return refused("AADSTS50013: The assertion is not valid.");
    if (account.expiresAt * 1_000 <= Date.now())
      return refused("AADSTS700024: Client assertion is not within its valid time range.");
    if (`${account.namespace}:${account.name}` !== subject || account.audience !== tokenAudience)
      return refused("AADSTS700213: No matching federated identity record found.");
    entra.issued.push({ clientId: form.get("client_id") ?? "", scope: form.get("scope") ?? "" });
    return [
      200,
      { token_type: "Bearer", expires_in: 3_599, ext_expires_in: 3_599, access_token: "eyJ.azure" },
    ];
  }

  const server = createServer(
    { cert: await readFile(`${folder}/server.pem`), key: await readFile(`${folder}/server.key`) },
    (request, response) => {
      let body = "";
      request.on("data", (piece: Buffer) => (body += piece.toString()));
      request.on("end", () => {
        if (entra.isSilent) return;
        const [status, value] = answer(request.url ?? "", body);
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
      });
    },
  );

  function answer(path: string, body: string): [status: number, body: object] {
    const own = `${entra.url}/${tenant}`;
    if (path === `/${tenant}/v2.0/.well-known/openid-configuration`)
      return [
        200,
        {
          issuer: `${own}/v2.0`,
          authorization_endpoint: `${own}/oauth2/v2.0/authorize`,
          token_endpoint: `${own}/oauth2/v2.0/token`,
          jwks_uri: `${own}/discovery/v2.0/keys`,
        },
      ];
    if (path.startsWith(`/${tenant}/oauth2/v2.0/token`)) return exchange(new URLSearchParams(body));
    return [404, { error: "not_found" }];
  }

  await new Promise<void>((done) => server.listen(0, () => done()));
  const entra: EntraServer = {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    authority: await readFile(`${folder}/ca.pem`, "utf8"),
    issued: [],
    isSilent: false,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return entra;
}
