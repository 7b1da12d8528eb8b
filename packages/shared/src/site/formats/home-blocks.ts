/** Parts of the default home page that an operator can leave out. Without schemas: the home page loads it. */

/** In their order on the page. */
export const homeBlocks = ["example", "scenes", "providers", "availability", "models"] as const;
export type HomeBlock = (typeof homeBlocks)[number];

/** Reads the comma-separated list of a setting. Unknown names are left out. */
export function homeBlocksOf(list: string): HomeBlock[] {
  const names = list.split(",").map((name) => name.trim());
  return homeBlocks.filter((block) => names.includes(block));
}
