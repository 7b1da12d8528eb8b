/** The height of the rows of all lists, chosen in this browser. Cards on phones are not affected. */
import { useLocalStorage } from "@mantine/hooks";
import { readStorage } from "#lib/browser-storage.ts";

export type Density = "comfortable" | "compact";

const key = "list-density";

const parse = (stored: string | null | undefined): Density =>
  stored === "compact" ? "compact" : "comfortable";

export const readDensity = (): Density => parse(readStorage(key));

/** Returns the density and its setter. All lists of the window follow. */
export function useDensity() {
  return useLocalStorage<Density>({
    key,
    defaultValue: "comfortable",
    getInitialValueInEffect: false,
    serialize: String,
    deserialize: parse,
  });
}
