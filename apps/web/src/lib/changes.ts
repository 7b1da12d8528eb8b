/** Whether who looks at a screen may also change what it shows. The router says so; the server decides anyway. */
import { createContext, useContext } from "react";

export const ChangesAllowed = createContext(true);

/** For everything that changes something: hidden, or disabled where the state it shows is worth seeing. */
export function useMayChange(): boolean {
  return useContext(ChangesAllowed);
}
