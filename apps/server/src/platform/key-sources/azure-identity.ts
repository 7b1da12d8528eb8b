import { keyIn, KeyUnavailableError, type KeyValue } from "./key-value.ts";

/**
 * Returns a token of the machine's managed identity, through Microsoft's authentication library: virtual machines, App
 * Service, Container Apps, Functions, Arc and others. The form is that which channels of Azure accept in place of a key.
 * @param clientId a user-assigned identity; "" = the system-assigned one
 * @param scope resource for which the token is valid
 */
export async function readAzureIdentity(
  clientId: string,
  scope: string,
  now: () => number,
): Promise<KeyValue> {
  const { ManagedIdentityApplication } = await import("@azure/msal-node");
  const application = new ManagedIdentityApplication(
    clientId === "" ? {} : { managedIdentityIdParams: { userAssignedClientId: clientId } },
  );
  // The library's own cache would return a token that is about to expire.
  const { accessToken, expiresOn } = await application.acquireToken({ resource: scope, forceRefresh: true });
  if (accessToken === "") throw new KeyUnavailableError("Azure returned no token");
  return { text: keyIn(`Bearer ${accessToken}`), expiresAt: expiresOn?.getTime() ?? now() + 3_600_000 };
}
