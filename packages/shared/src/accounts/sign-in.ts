import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";
import { TableProviderKey } from "./identity-provider.ts";

export const IdentityProviderId = z.enum(["github", "lark", "wechat", "oidc"]);
export type IdentityProviderId = z.infer<typeof IdentityProviderId>;

/** Names the provider of a linked account: a built-in one, or one that root has added. */
export const IdentityProviderKey = z.union([IdentityProviderId, TableProviderKey]);
export type IdentityProviderKey = z.infer<typeof IdentityProviderKey>;

/** Query of GET /api/oauth/<provider>: the parameters of the provider's redirect. */
export const SignInReturn = z.object({
  code: z.string().trim().min(1, because("code_missing")).max(2_048),
  state: z.string().min(1, because("state_missing")).max(128),
  /** Code of the inviter. Used for a new account only. */
  aff: z.string().trim().max(32).catch("").default(""),
  /** Issuer of the response, when the provider sends it. */
  iss: z.string().max(500).optional(),
});

/** Query of GET /api/oauth/wechat: a code that the official account sent, and the user typed in. */
export const TypedCode = SignInReturn.extend({
  /** Not needed. A state that is sent is checked. */
  state: SignInReturn.shape.state.or(z.literal("")).default(""),
});

/** A linked account of an identity provider. */
export const IdentityRow = z.object({
  provider: IdentityProviderKey,
  /** Name of the account at the provider. */
  label: z.string(),
  created_time: UnixTime,
});
export type IdentityRow = z.infer<typeof IdentityRow>;

/** Body of POST /api/user/unbind. */
export const UnbindInput = z.object({ type: IdentityProviderKey });
