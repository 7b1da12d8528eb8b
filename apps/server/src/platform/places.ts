import { fileURLToPath } from "node:url";

/**
 * The root of the repository or image. Right from the sources as well as from the bundle, which lies as deep
 * (scripts/bundle.mjs).
 */
export const root = fileURLToPath(new URL("../../../../", import.meta.url));
