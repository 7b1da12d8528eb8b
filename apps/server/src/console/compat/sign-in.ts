import type { CompatRoute } from "./route.ts";

/** Sign-in by other means: the routes whose refusals have an HTTP status of their own in One Hub. */

/** A state that is missing or not this browser's. */
const wrongState: CompatRoute = { refuses: (status) => (status === 400 || status === 403 ? 403 : 200) };
/** Passkeys are refused by status alone. */
const byStatus: CompatRoute = { refuses: (status) => status };

export const signInCompat: Record<string, CompatRoute> = {
  "GET /oauth/github": wrongState,
  "GET /oauth/lark": wrongState,
  "GET /oauth/oidc": wrongState,
  "GET /webauthn/credentials": byStatus,
  "DELETE /webauthn/credentials/:id": byStatus,
  "POST /webauthn/registration/begin": byStatus,
  "POST /webauthn/registration/finish": byStatus,
  "POST /webauthn/login/begin": byStatus,
  "POST /webauthn/login/finish": byStatus,
};
