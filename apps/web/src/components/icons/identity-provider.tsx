/** Names and icons of the identity providers. */
import type { OfferedIdentityProvider } from "@gateway/shared/accounts/identity-provider";
import { lookupTable } from "@gateway/shared/lookup-table";
import {
  IconBrandAuth0,
  IconBrandGithub,
  IconBrandGitlab,
  IconBrandGoogle,
  IconBrandTelegram,
  IconBrandWechat,
  IconBrandWindows,
  IconBuilding,
  IconFeather,
  IconId,
  IconLockAccess,
  type Icon,
} from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { phrase } from "#lib/i18n.ts";

const identityProviders = lookupTable<{ title: string; Picture: Icon }>({
  github: { title: phrase("GitHub"), Picture: IconBrandGithub },
  wechat: { title: phrase("WeChat"), Picture: IconBrandWechat },
  lark: { title: phrase("Lark"), Picture: IconFeather },
  oidc: { title: phrase("OpenID"), Picture: IconLockAccess },
  telegram: { title: phrase("Telegram"), Picture: IconBrandTelegram },
});

/** Logos of providers that root adds, by their preset. */
const presetPictures = lookupTable<Icon>({
  entra: IconBrandWindows,
  google: IconBrandGoogle,
  auth0: IconBrandAuth0,
  gitlab: IconBrandGitlab,
});

/**
 * Returns the name in the language of the page. Names of providers that root has added are not translated.
 * @param added providers that root has added; without them the title is the identifier
 */
export function identityProviderTitle(
  t: TFunction,
  id: string,
  added: readonly OfferedIdentityProvider[] = [],
): string {
  const slug = slugOf(id);
  if (slug !== undefined) return added.find((each) => each.slug === slug)?.name ?? slug;
  const title = identityProviders[id]?.title;
  return title === undefined ? id : t(title);
}

/** Returns the id of the icon: of a provider that root has added, its preset if there is one. */
export function presetOf(added: readonly OfferedIdentityProvider[], id: string): string {
  return added.find(({ slug }) => slug === slugOf(id))?.preset || id;
}

/** Returns the identifier of a provider that root has added; undefined for a built-in one. */
function slugOf(id: string): string | undefined {
  return id.startsWith("oidc:") ? id.slice("oidc:".length) : undefined;
}

/** @param id a provider, or the preset of one that root has added @param label accessible name; without it the icon is decorative */
export function IdentityProviderIcon({
  id,
  size = 18,
  label,
}: {
  id: string;
  size?: number;
  label?: string;
}) {
  const added = presetPictures[id] ?? (slugOf(id) === undefined ? IconId : IconBuilding);
  const Picture = identityProviders[id]?.Picture ?? added;
  const speaks = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  return <Picture size={size} stroke={1.6} {...speaks} />;
}
