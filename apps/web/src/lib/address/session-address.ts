/**
 * Returns the address of a session's page.
 * @param userId whose session it is; 0 for the own ones
 */
export function sessionAddress(id: string, userId = 0): string {
  const path = `/panel/session/${encodeURIComponent(id)}`;
  return userId === 0 ? path : `${path}?user=${userId}`;
}
