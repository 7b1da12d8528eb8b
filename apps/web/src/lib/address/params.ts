/**
 * Readers of the parameters of a list in the address. They accept what the schemas of the queries accept, without the
 * schema library: it would be a tenth of the code of a list.
 * `app/list-queries.test.ts` compares them with the schemas.
 */
import { initialSize } from "#lib/lists/page-size.ts";

/** `read` returns undefined for a value that it rejects. */
type Param<T> = { initial: T; read: (text: string) => T | undefined };
export type ParamValues = Record<string, string | number>;
export type Params<T extends object> = { [Name in keyof T]-?: Param<T[Name]> };
export type ParamsOf<P> = { [Name in keyof P]: P[Name] extends Param<infer T> ? T : never };

/** @param most characters */
export const textParam = (most = Number.POSITIVE_INFINITY): Param<string> => ({
  initial: "",
  read: (given) => (given.length <= most ? given : undefined),
});

/** Text without spaces around it. */
export const trimmedParam = (most: number): Param<string> => ({
  initial: "",
  read: (given) => textParam(most).read(given.trim()),
});

export const matching = (pattern: RegExp): Param<string> => ({
  initial: "",
  read: (given) => (pattern.test(given) ? given : undefined),
});

/** Returns a reader of a whole number. Empty text is 0, as in `queryInt`. */
export const whole = (least = 0, most = Number.MAX_SAFE_INTEGER, initial = least): Param<number> => ({
  initial,
  read(given) {
    const value = /^-?\d{0,15}$/.test(given) ? Number(given) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  },
});

/** The first option is the initial value, unless another is named. */
export function oneOf<const Options extends readonly [string, ...string[]]>(
  options: Options,
  initial: Options[number] = options[0],
): Param<Options[number]> {
  return { initial, read: (given) => options.find((option) => option === given) };
}

/** Parameters of every list. */
export const paging = {
  page: whole(1),
  size: {
    ...whole(1, 100),
    // Read when a list is opened: it depends on the window and on what the user chose.
    get initial() {
      return initialSize();
    },
  },
  order: textParam(100),
};

/** The size of a list that is longer than the window, or of no rows. */
export const sizeOf = (rows: number): Param<number> => whole(1, 100, rows);

/** Returns the values of an address without parameters. */
export function initialOf<T extends object>(params: Params<T>): T {
  return Object.fromEntries(
    Object.entries<Param<unknown>>(params).map(([name, { initial }]) => [name, initial]),
  ) as T;
}

/** Returns the values of an address. A value that a parameter rejects, such as a filter of an older version, is its initial one. */
export function readParams<T extends object>(
  params: Params<T>,
  search: URLSearchParams,
  initial: T = initialOf(params),
): T {
  const given: Record<string, string> = Object.fromEntries(search);
  return Object.fromEntries(
    Object.entries<Param<unknown>>(params).map(([name, { read }]) => {
      const value = given[name];
      return [name, (value === undefined ? undefined : read(value)) ?? initial[name as keyof T]];
    }),
  ) as T;
}

/**
 * Returns the parameters of an address that the list does not apply: those with a value that is rejected, such as a
 * filter of an older version, and unknown ones.
 * @param others parameters of the page that the list does not have; undefined to accept any
 */
export function droppedParams<T extends object>(
  params: Params<T>,
  search: URLSearchParams,
  others?: readonly string[],
): [name: string, value: string][] {
  const isApplied = (name: string, value: string) => {
    if (!(name in params)) return others === undefined || others.includes(name);
    return params[name as keyof T].read(value) !== undefined;
  };
  return [...search].filter(([name, value]) => value !== "" && !isApplied(name, value));
}
