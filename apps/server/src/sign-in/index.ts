import type { IdentityProviderId } from "@gateway/shared/accounts/sign-in";
import { githubAt } from "./github.ts";
import { larkAt } from "./lark.ts";
import { oidc } from "./oidc.ts";
import type { IdentityProvider } from "./provider.ts";
import { wechat } from "./wechat.ts";

/** Registry with one line per identity provider. */
export type IdentityProviders = Readonly<Record<IdentityProviderId, IdentityProvider>>;

export const identityProviders: IdentityProviders = {
  github: githubAt(),
  lark: larkAt(),
  wechat: wechat(),
  oidc: oidc(),
};
