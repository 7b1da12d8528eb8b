/** Whether the user may change what a screen shows. Set by the router; the server enforces it. */
import { createContext, useContext } from "react";

export const ChangesAllowed = createContext(true);

/**
 * Returns whether controls that change something are available.
 * Hide them, or disable those whose state is useful to see.
 */
export function useMayChange(): boolean {
  return useContext(ChangesAllowed);
}
