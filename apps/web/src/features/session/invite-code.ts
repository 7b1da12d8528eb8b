import { writeStorage, readStorage } from "#lib/browser-storage.ts";

/** The invite code of the link that the visitor followed, stored until sign-up. */
const storageKey = "aff";

/** @param arrived the code in the address, if any */
export function keepInviteCode(arrived: string | null): string {
  if (arrived) writeStorage(storageKey, arrived.slice(0, 32));
  return readStorage(storageKey) ?? "";
}

export function forgetInviteCode(): void {
  writeStorage(storageKey, null);
}
