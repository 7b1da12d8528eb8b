/**
 * Returns the model for Claude Code's calls in the background, such as titles: beside a larger Claude the newest Haiku,
 * else the model itself. Pure. @param names models of the key
 */
export function backgroundModelFor(model: string, names: readonly string[]): string {
  if (!/claude/i.test(model) || /haiku/i.test(model)) return model;
  return (
    names
      .filter((name) => /claude.*haiku/i.test(name))
      .toSorted()
      .at(-1) ?? model
  );
}
