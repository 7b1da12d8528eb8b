import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";
import { PasswordProof } from "./profile.ts";

export const PasskeyRow = z.object({
  id: z.int(),
  alias: z.string(),
  /** The passkey is synchronized between devices by its provider. */
  backed_up: z.boolean(),
  created_time: UnixTime,
  last_used: UnixTime.nullable(),
});
export type PasskeyRow = z.infer<typeof PasskeyRow>;

const Alias = z.string().trim().max(100);
export const PasskeyRename = z.object({ alias: Alias.min(1, because("name_required")) });

/** POST /api/webauthn/registration/begin. */
export const PasskeyBegin = PasswordProof;

/** Options for the browser's WebAuthn call. The standard defines their shape. */
export const PasskeyOptions = z.looseObject({ challenge: z.string() });
export type PasskeyOptions = z.infer<typeof PasskeyOptions>;

/** The browser's response. The standard adds fields; the WebAuthn library validates those that it uses. */
const Credential = z.looseObject({
  id: z.string().min(1).max(2_048),
  rawId: z.string().min(1).max(2_048),
  type: z.literal("public-key"),
  authenticatorAttachment: z.enum(["platform", "cross-platform"]).optional().catch(undefined),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
});

const part = z.string().max(20_000);

/** POST /api/webauthn/registration/finish. */
export const PasskeyRegistration = Credential.extend({
  alias: Alias.default(""),
  response: z.looseObject({
    clientDataJSON: part,
    attestationObject: part,
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});
export type PasskeyRegistration = z.infer<typeof PasskeyRegistration>;

/** POST /api/webauthn/login/finish. */
export const PasskeyAssertion = Credential.extend({
  response: z.looseObject({
    clientDataJSON: part,
    authenticatorData: part,
    signature: part,
    userHandle: z.string().max(200).optional(),
  }),
});
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;
