/** Sign-in with other methods: the routes whose refusals have their own HTTP status in One Hub. */
import { PasskeyOptions } from "@gateway/shared/accounts/passkey";
import { z } from "zod";
import { forbidden } from "#errors.ts";
import { type CompatRoute, readWith, formatWith } from "./plugin/route.ts";

/** Returns 403 for a state that is missing or belongs to another browser. */
const wrongState: CompatRoute = { refuses: ({ status }) => (status === 400 || status === 403 ? 403 : 200) };
/** One Hub looks at the setting of Lark before the state, and refuses with 200 when it is off. */
const lark: CompatRoute = {
  query: readWith(z.unknown(), (given, { services }) => {
    if (services.settings.current().LarkAuthEnabled) return given;
    throw forbidden({ reason: "sign_in_method_off" });
  }),
  refuses: (refusal) =>
    refusal.reason === "sign_in_method_off" ? 200 : (wrongState.refuses?.(refusal) ?? 200),
};
/** Passkeys are refused with the true status. */
const byStatus: CompatRoute = { refuses: ({ status }) => status };

/** The options of a passkey are below `publicKey`, as the browser's function takes them. */
const passkeyOptions: CompatRoute = {
  ...byStatus,
  answer: formatWith(PasskeyOptions, z.object({ publicKey: PasskeyOptions }), (publicKey) => ({ publicKey })),
};

export const signInCompat: Record<string, CompatRoute> = {
  "GET /oauth/github": wrongState,
  "GET /oauth/lark": lark,
  "GET /oauth/oidc": wrongState,
  "GET /webauthn/credentials": byStatus,
  "DELETE /webauthn/credentials/:id": byStatus,
  "POST /webauthn/registration/begin": passkeyOptions,
  "POST /webauthn/registration/finish": byStatus,
  "POST /webauthn/login/begin": passkeyOptions,
  "POST /webauthn/login/finish": byStatus,
};
