import { keyIn, KeyUnavailableError, type KeyValue } from "./key-value.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** Google issues tokens for an hour at most. Used where it does not say when one ends. */
const TOKEN_SECONDS = 3_600;

interface GoogleIdentity {
  /** "" = the project of the identity. */
  project: string;
  /** "" = the identity itself. */
  serviceAccount: string;
}

/**
 * Returns a token of the machine's identity, through Google's own library: the metadata server, workload identity
 * federation, or a key file that GOOGLE_APPLICATION_CREDENTIALS names. The form is that which channels of Vertex AI
 * accept in place of a service account.
 */
export async function readGoogleIdentity(
  { project, serviceAccount }: GoogleIdentity,
  now: () => number,
): Promise<KeyValue> {
  const { GoogleAuth, Impersonated } = await import("google-auth-library");
  const auth = new GoogleAuth({
    scopes: SCOPE,
    clientOptions: { transporterOptions: { timeout: 10_000 } },
    ...(project === "" ? {} : { projectId: project }),
  });
  const own = await auth.getClient();
  const client =
    serviceAccount === ""
      ? own
      : new Impersonated({
          sourceClient: own,
          targetPrincipal: serviceAccount,
          targetScopes: [SCOPE],
          lifetime: TOKEN_SECONDS,
        });
  const { token } = await client.getAccessToken();
  if (typeof token !== "string" || token === "") throw new KeyUnavailableError("Google returned no token");
  const known = project === "" ? await auth.getProjectId().catch(() => "") : project;
  return {
    text: keyIn(
      JSON.stringify({
        type: "access_token",
        access_token: token,
        ...(known === "" ? {} : { project_id: known }),
      }),
    ),
    expiresAt: client.credentials.expiry_date ?? now() + TOKEN_SECONDS * 1_000,
  };
}
