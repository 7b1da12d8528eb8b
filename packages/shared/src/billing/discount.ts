/**
 * Multipliers for top-ups of exact whole dollar amounts: `{"100": 0.9}` applies to everyone. Ratios under the
 * symbol of a group apply to its members and override the general ones, amount by amount.
 */
import { z } from "zod";
import { because } from "#errors/issue.ts";

const ratio = z
  .number()
  .gt(0, because("discount_range"))
  .max(1, because("discount_range"))
  .multipleOf(0.0001, because("decimals_4"));
const isAmount = (text: string) => /^[1-9]\d{0,6}$/.test(text) && Number(text) <= 1_000_000;
const wrongAmount = because("discount_amount");

const Ratios = z.record(z.string().refine(isAmount, wrongAmount), ratio);

const DiscountTable = z.record(z.string().max(50), z.union([ratio, Ratios])).superRefine((table, context) => {
  for (const [name, value] of Object.entries(table)) {
    if (typeof value === "number" && !isAmount(name))
      context.addIssue({ code: "custom", message: wrongAmount });
  }
});
export type DiscountTable = z.infer<typeof DiscountTable>;

/** The table as the older API sends it: JSON in a string. */
export const DiscountText = z
  .string()
  .trim()
  .max(10_000)
  .superRefine((text, context) => {
    const problem = problemOf(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

/** Returns the discounted amounts for a user of this group, in ascending order. Invalid text yields none. */
export function discountsFor(text: string, group: string): Map<number, number> {
  const table = DiscountTable.safeParse(readJson(text)).data ?? {};
  const found = new Map<number, number>();
  const own = Object.hasOwn(table, group) ? table[group] : undefined;
  for (const entries of [table, typeof own === "object" ? own : {}]) {
    for (const [amount, value] of Object.entries(entries)) {
      if (typeof value === "number") found.set(Number(amount), value);
    }
  }
  return new Map([...found].toSorted(([left], [right]) => left - right));
}

function problemOf(text: string): string | undefined {
  const table = readJson(text);
  if (table === undefined) return because("json_text");
  const issue = DiscountTable.safeParse(table).error?.issues[0];
  if (issue === undefined) return undefined;
  const inner =
    issue.code === "invalid_union" ? issue.errors.flat().find((one) => one.code !== "invalid_type") : issue;
  return inner?.code === "invalid_key" ? wrongAmount : (inner?.message ?? issue.message);
}

function readJson(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}
