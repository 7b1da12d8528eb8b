import type { AzureWorkload } from "./key-settings.ts";
import { keyIn, KeyUnavailableError, type KeyValue } from "./key-value.ts";
import { readTokenFile } from "./token-file.ts";

interface AzureIdentity {
  /** "" = the identity of the environment, or the system-assigned one. */
  clientId: string;
  /** Resource for which the token is valid. */
  scope: string;
  /** Undefined = a managed identity. */
  workload: AzureWorkload | undefined;
}

/**
 * Returns a token of an identity in Azure, through Microsoft's authentication library: the workload identity of a pod, or
 * a managed identity of a virtual machine, App Service, Container Apps, Functions or Arc. The form is that which channels
 * of Azure accept in place of a key.
 */
export async function readAzureIdentity(
  { clientId, scope, workload }: AzureIdentity,
  now: () => number,
): Promise<KeyValue> {
  const token = await (workload === undefined
    ? acquireManagedToken(clientId, scope)
    : acquireWorkloadToken(workload, clientId, scope));
  if (token === null || token.accessToken === "") throw new KeyUnavailableError("Azure returned no token");
  const { accessToken, expiresOn } = token;
  return { text: keyIn(`Bearer ${accessToken}`), expiresAt: expiresOn?.getTime() ?? now() + 3_600_000 };
}

async function acquireManagedToken(clientId: string, resource: string) {
  const { ManagedIdentityApplication } = await import("@azure/msal-node");
  const application = new ManagedIdentityApplication(
    clientId === "" ? {} : { managedIdentityIdParams: { userAssignedClientId: clientId } },
  );
  // The library's own cache would return a token that is about to expire.
  return application.acquireToken({ resource, forceRefresh: true });
}

/** Exchanges the pod's token, as https://azure.github.io/azure-workload-identity/docs/ describes. */
async function acquireWorkloadToken(workload: AzureWorkload, named: string, resource: string) {
  const { tokenFile, tenantId, authorityHost } = workload;
  const clientId = named === "" ? workload.clientId : named;
  if (tenantId === undefined) throw new KeyUnavailableError("AZURE_TENANT_ID is not set");
  if (clientId === undefined)
    throw new KeyUnavailableError("the reference has no client_id, and AZURE_CLIENT_ID is not set");
  const clientAssertion = await readTokenFile(tokenFile, "AZURE_FEDERATED_TOKEN_FILE");
  const { ConfidentialClientApplication } = await import("@azure/msal-node");
  const application = new ConfidentialClientApplication({
    auth: {
      clientId,
      clientAssertion,
      authority: `${authorityHost}/${tenantId}`,
      // The address is the operator's. Otherwise the library would ask Microsoft's public cloud about it.
      knownAuthorities: [new URL(authorityHost).host],
    },
  });
  return application.acquireTokenByClientCredential({ scopes: [`${resource}/.default`], skipCache: true });
}
