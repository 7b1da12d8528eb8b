/** The invite code of the link somebody came with, kept until an account is made. */
const storageKey = "aff";

/** @param arrived the code in the address, if there is one */
export function keepInviteCode(arrived: string | null): string {
  if (arrived) localStorage.setItem(storageKey, arrived.slice(0, 32));
  return localStorage.getItem(storageKey) ?? "";
}

export function forgetInviteCode(): void {
  localStorage.removeItem(storageKey);
}
