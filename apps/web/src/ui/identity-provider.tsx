/** Names and pictures of the places where people may have an account already. */
import type { IdentityProviderId } from "@gateway/shared/sign-in";
import {
  IconBrandGithub,
  IconBrandWechat,
  IconFeather,
  IconLockAccess,
  type Icon,
} from "@tabler/icons-react";
import { phrase } from "#lib/i18n.ts";

const icons: Record<IdentityProviderId, Icon> = {
  github: IconBrandGithub,
  wechat: IconBrandWechat,
  lark: IconFeather,
  oidc: IconLockAccess,
};

/** Translated where they are shown. */
export const identityProviderTitles: Record<IdentityProviderId, string> = {
  github: "GitHub",
  wechat: phrase("WeChat"),
  lark: phrase("Lark"),
  oidc: "OpenID",
};

export function IdentityProviderIcon({ id, size = 18 }: { id: IdentityProviderId; size?: number }) {
  const Picture = icons[id];
  return <Picture size={size} stroke={1.6} aria-hidden />;
}
