import { keep, kept } from "#lib/stored.ts";

/** The invite code of the link that the visitor followed, stored until sign-up. */
const storageKey = "aff";

/** @param arrived the code in the address, if any */
export function keepInviteCode(arrived: string | null): string {
  if (arrived) keep(storageKey, arrived.slice(0, 32));
  return kept(storageKey) ?? "";
}

export function forgetInviteCode(): void {
  keep(storageKey, null);
}
