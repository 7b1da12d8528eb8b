import { z } from "zod";
import { because } from "#errors/issue.ts";

/**
 * Parses a whole number in a query or a path, where every value is text. Empty text is 0. Rejects other
 * notations such as `true`, `1e3` and `0x10`.
 */
export function queryInt<Schema extends z.ZodType<number>>(schema: Schema) {
  return z.preprocess((given) => {
    if (typeof given !== "string" || !/^-?\d{0,15}$/.test(given)) return given;
    return Number(given);
  }, schema);
}

/** Makes every field of a PUT body optional, without defaults. A strict schema stays strict. */
export function makePartial<Schema extends z.ZodObject>(
  schema: Schema,
): z.ZodType<Partial<z.output<Schema>>, Partial<z.input<Schema>>> {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const bare = field instanceof z.ZodDefault || field instanceof z.ZodPrefault ? field.unwrap() : field;
    return [name, z.optional(bare)];
  });
  const optional = z.object(Object.fromEntries(fields));
  const { catchall } = schema.def;
  // The loop produces the declared type, but TypeScript cannot infer that.
  return (catchall === undefined ? optional : optional.catchall(catchall)) as unknown as z.ZodType<
    Partial<z.output<Schema>>,
    Partial<z.input<Schema>>
  >;
}

/** Query of every list: 1-based page, rows per page, `order=-field,other`. */
export const PageQuery = z.object({
  page: queryInt(z.int().min(1)).catch(1).default(1),
  size: queryInt(z.int().min(1).max(100)).default(10),
  order: z.string().max(100).default(""),
});
export type PageQuery = z.infer<typeof PageQuery>;

export const Page = <T extends z.ZodType>(row: T) =>
  z.object({ data: z.array(row), page: z.int(), size: z.int(), total_count: z.int() });
export type Page<T> = { data: T[]; page: number; size: number; total_count: number };

/** Unix time in seconds. */
export const UnixTime = z.int();
/** Whole points. JSON numbers are exact up to 18 billion dollars. */
export const Points = z.int();
/** A sum in a response. Above 2^53 it is not exact, but still sent. */
export const Sum = z.number();

/** Maximum amount of one manual entry: two million dollars. Sums of thousands of them are still exact. */
const MOST_GIVEN = 1_000_000_000_000;
const tooMuch = because("points_too_many");
/** Points that an administrator adds or removes manually. */
export const GivenPoints = Points.min(-MOST_GIVEN, tooMuch).max(MOST_GIVEN, tooMuch);
