/** The options of a measurement or proof on its command line. */
import { parseArgs } from "node:util";

type Option = { help: string } & (
  | { whole: number }
  | { text: string }
  | { oneOf: readonly string[]; default: string }
  | { anyOf: readonly string[] }
  | { flag: true }
);

type ValueOf<Given> = Given extends { whole: number }
  ? number
  : Given extends { flag: true }
    ? boolean
    : Given extends { anyOf: readonly (infer Name)[] }
      ? Name[]
      : Given extends { oneOf: readonly (infer Name)[] }
        ? Name
        : string;

/**
 * Reads the options of a program. `--help` prints them; an option that does not exist or has a wrong value ends the
 * program with one sentence and the usage. An `anyOf` may be repeated, and is all of its names when absent.
 * @param command as people type it, for example `pnpm bench:states`
 */
export function readCommandLine<const Options extends Record<string, Option>>(
  command: string,
  options: Options,
): { [Name in keyof Options]: ValueOf<Options[Name]> } {
  const usage = usageOf(command, options);
  const refuse = (sentence: string): never => {
    console.error(`${sentence}\n\n${usage}`);
    process.exit(1);
  };
  const parse = () => {
    try {
      return parseArgs({ options: { ...parserOptions(options), help: { type: "boolean" } } }).values;
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
  };
  const given: Record<string, unknown> = parse();
  if (given["help"] === true) {
    console.log(usage);
    process.exit(0);
  }
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries<Option>(options)) {
    const value = given[name];
    if ("flag" in option) values[name] = value === true;
    else if ("text" in option) values[name] = value ?? option.text;
    else if ("anyOf" in option) {
      const names = (value as string[] | undefined) ?? option.anyOf;
      const unknown = names.find((one) => !option.anyOf.includes(one));
      if (unknown !== undefined) refuse(`--${name} ${unknown} must be one of ${option.anyOf.join(", ")}.`);
      values[name] = names;
    } else if ("oneOf" in option) {
      const one = (value as string | undefined) ?? option.default;
      if (!option.oneOf.includes(one)) refuse(`--${name} must be one of ${option.oneOf.join(", ")}.`);
      values[name] = one;
    } else {
      const number = value === undefined ? option.whole : Number(value);
      if (!Number.isInteger(number) || number < 0) refuse(`--${name} must be a whole number.`);
      values[name] = number;
    }
  }
  return values as { [Name in keyof Options]: ValueOf<Options[Name]> };
}

function parserOptions(options: Record<string, Option>) {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      "flag" in option
        ? { type: "boolean" as const }
        : { type: "string" as const, multiple: "anyOf" in option },
    ]),
  );
}

function usageOf(command: string, options: Record<string, Option>): string {
  const lines = Object.entries(options).map(([name, option]) => {
    if ("flag" in option) return [`--${name}`, option.help];
    if ("whole" in option) return [`--${name} ${option.whole}`, option.help];
    if ("text" in option) return [`--${name} ${option.text || "…"}`, option.help];
    if ("oneOf" in option)
      return [`--${name} ${option.default}`, `${option.help}: ${option.oneOf.join(", ")}`];
    return [
      `--${name} ${option.anyOf[0] ?? ""}`,
      `${option.help}: ${option.anyOf.join(", ")}; may be repeated, all when absent`,
    ];
  });
  const width = Math.max(...lines.map(([left = ""]) => left.length));
  return [
    `${command} [options]`,
    ...lines.map(([left = "", right = ""]) => `  ${left.padEnd(width)}   ${right}`),
  ].join("\n");
}
