/**
 * A list in a request, which is read until the first fault. The library's own list reports every one: a body of two
 * megabytes with invalid items would hold up the process for seconds.
 */
import { z } from "zod";

/** Items that are validated at once: enough for most lists, and few faults. */
const PORTION = 64;

export function listOf<Item extends z.ZodType>(item: Item, { least = 0, most = Infinity } = {}) {
  const portion = z.array(item);
  return z
    .array(z.unknown())
    .min(least)
    .max(most)
    .transform((values, context): z.output<Item>[] => {
      const items: z.output<Item>[] = [];
      for (let at = 0; at < values.length; at += PORTION) {
        const result = portion.safeParse(values.length <= PORTION ? values : values.slice(at, at + PORTION));
        const [issue] = result.error?.issues ?? [];
        if (issue !== undefined) {
          const [index, ...path] = issue.path;
          context.issues.push({ ...issue, path: [at + Number(index), ...path] } as z.core.$ZodRawIssue);
          return z.NEVER;
        }
        if (values.length <= PORTION && result.data !== undefined) return result.data;
        for (const value of result.data ?? []) items.push(value);
      }
      return items;
    });
}
