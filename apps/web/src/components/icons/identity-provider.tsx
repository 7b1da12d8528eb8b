/** Names and icons of the identity providers. */
import { lookupTable } from "@gateway/shared/lookup-table";
import {
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconFeather,
  IconId,
  IconLockAccess,
  type Icon,
} from "@tabler/icons-react";
import { phrase } from "#lib/i18n.ts";

const identityProviders = lookupTable<{ title: string; Picture: Icon }>({
  github: { title: phrase("GitHub"), Picture: IconBrandGithub },
  wechat: { title: phrase("WeChat"), Picture: IconBrandWechat },
  lark: { title: phrase("Lark"), Picture: IconFeather },
  oidc: { title: phrase("OpenID"), Picture: IconLockAccess },
  telegram: { title: phrase("Telegram"), Picture: IconBrandTelegram },
});

/** Translated when displayed. */
export function identityProviderTitle(id: string): string {
  return identityProviders[id]?.title ?? id;
}

/** @param label accessible name; without it the icon is decorative */
export function IdentityProviderIcon({
  id,
  size = 18,
  label,
}: {
  id: string;
  size?: number;
  label?: string;
}) {
  const Picture = identityProviders[id]?.Picture ?? IconId;
  const speaks = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  return <Picture size={size} stroke={1.6} {...speaks} />;
}
