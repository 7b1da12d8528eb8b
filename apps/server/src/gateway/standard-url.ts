/**
 * Addresses that clients make when their base address already ends in what they add, or names a dialect. Only the start
 * of the path is looked at.
 */
const spellings: readonly (readonly [RegExp, string])[] = [
  // Google's and Azure's addresses for OpenAI's clients.
  [/^\/v1beta\/openai(?:\/v1)?(?=\/)/, "/v1"],
  [/^\/openai\/v1(?=\/)/, "/v1"],
  // The version twice: in the base address and by the client.
  [/^\/v1\/v1(?=\/)/, "/v1"],
  [/^\/v1beta\/v1beta(?=\/)/, "/v1beta"],
  [/^\/claude\/v1\/v1(?=\/)/, "/claude/v1"],
];

/** @param basePath without slashes at the ends */
export function standardUrl(url: string, basePath: string): string {
  // Nearly all addresses: decided without a pattern.
  const start = url.startsWith("//") ? url.replace(/^\/+/, "/") : url;
  const base = basePath !== "" && start.startsWith(`/${basePath}/`) ? `/${basePath}` : "";
  const path = start.slice(base.length);
  for (const [spelling, standard] of spellings)
    if (spelling.test(path)) return base + path.replace(spelling, standard);
  return url;
}
