import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";

/** Where people may have an account already. */
export const IdentityProviderId = z.enum(["github", "lark", "wechat", "oidc"]);
export type IdentityProviderId = z.infer<typeof IdentityProviderId>;

/** Query of GET /api/oauth/<provider>: what the provider sent the browser back with. */
export const SignInReturn = z.object({
  code: z.string().trim().min(1, because("code_missing")).max(2_048),
  state: z.string().min(1, because("state_missing")).max(128),
  /** Of the inviter; counts for a new account only. */
  aff: z.string().trim().max(32).catch("").default(""),
  /** Who answered, when the provider says so. */
  iss: z.string().max(500).optional(),
});

/** An account elsewhere that opens this one. */
export const IdentityRow = z.object({
  provider: IdentityProviderId,
  /** The name over there. */
  label: z.string(),
  created_time: UnixTime,
});
export type IdentityRow = z.infer<typeof IdentityRow>;

/** POST /api/user/unbind. */
export const UnbindInput = z.object({ type: IdentityProviderId });
