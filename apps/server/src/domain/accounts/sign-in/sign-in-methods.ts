import { Role } from "@gateway/shared/accounts/roles";
import type { Settings } from "@gateway/shared/site/settings";
import { conflict } from "#errors.ts";
import type { Identity, Prisma, User } from "#platform/prisma/client.ts";
import type { IdentityProviders } from "#sign-in/index.ts";
import { isAvailable } from "#sign-in/provider.ts";

/** What decides which sign-in methods work on this site. */
export interface OfferedMethods {
  settings: Settings;
  providers: IdentityProviders;
}

/**
 * Throws `conflict` if the account could not sign in without this passkey or identity. A method that the site
 * has disabled does not count.
 * @param user locked by this transaction: of two methods that are removed at the same time, one stays
 */
export async function requireOtherMethod(
  tx: Prisma.TransactionClient,
  user: User,
  without: { passkey: number } | { identity: number },
  { settings, providers }: OfferedMethods,
): Promise<void> {
  // Root may always use a password, so that settings cannot lock a site.
  if (user.password_hash !== null && (settings.PasswordLoginEnabled || user.role >= Role.root)) return;
  const passkey = "passkey" in without ? { not: without.passkey } : {};
  if (
    settings.PasskeyLoginEnabled &&
    (await tx.passkey.count({ where: { user_id: user.id, id: passkey } })) > 0
  )
    return;
  const identities = await tx.identity.findMany({ where: { user_id: user.id } });
  const removed = "identity" in without ? without.identity : undefined;
  const others = identities.filter(({ id }) => id !== removed);
  if (others.some((each) => opens(each, providers, settings))) return;
  const slugs = others.flatMap(({ provider }) =>
    provider.startsWith("oidc:") ? [provider.slice("oidc:".length)] : [],
  );
  if ((await tx.identityProvider.count({ where: { slug: { in: slugs }, enabled: true } })) > 0) return;
  throw conflict({ reason: "only_sign_in_method" });
}

/** Returns whether the identity can sign in. A disabled provider cannot. */
function opens(identity: Identity, providers: IdentityProviders, settings: Settings): boolean {
  const provider = Object.values(providers).find(({ id }) => id === identity.provider);
  return provider !== undefined && isAvailable(provider, settings);
}
