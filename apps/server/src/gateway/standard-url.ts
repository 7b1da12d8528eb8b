/**
 * Paths of clients whose base URL already ends in what they append, or names a dialect. Only the start of the
 * path is checked.
 */
const spellings: readonly (readonly [RegExp, string])[] = [
  // Google's and Azure's paths for OpenAI's clients.
  [/^\/v1beta\/openai(?:\/v1)?(?=\/)/, "/v1"],
  [/^\/openai\/v1(?=\/)/, "/v1"],
  // The version is in the base URL and added again by the client.
  [/^\/v1\/v1(?=\/)/, "/v1"],
  [/^\/v1beta\/v1beta(?=\/)/, "/v1beta"],
  [/^\/claude\/v1\/v1(?=\/)/, "/claude/v1"],
];

/** @param basePath without leading and trailing slashes */
export function standardUrl(url: string, basePath: string): string {
  // Most URLs skip this regular expression.
  const start = url.startsWith("//") ? url.replace(/^\/+/, "/") : url;
  const base = basePath !== "" && start.startsWith(`/${basePath}/`) ? `/${basePath}` : "";
  const path = start.slice(base.length);
  for (const [spelling, standard] of spellings)
    if (spelling.test(path)) return base + path.replace(spelling, standard);
  return url;
}
