import { fileURLToPath } from "node:url";

/**
 * Root folder of the repository or image. The path is correct for the sources and for the bundle, which is
 * written at the same depth (scripts/bundle.mjs).
 */
export const root = fileURLToPath(new URL("../../../../", import.meta.url));
