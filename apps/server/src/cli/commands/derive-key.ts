import { DerivedKeyRestrictions, NewDerivedKeyRestrictions } from "@gateway/shared/accounts/derived-key";
import { type Command, InvalidArgumentError } from "commander";
import { type CommonOptions, runCommand, type Terminal } from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { readInput } from "#cli/secret-input.ts";
import { derivedKeyPrefix, deriveKey, parseDerivedKey } from "#domain/tokens/derived-keys/derived-key.ts";
import { isAddress } from "#domain/tokens/token-columns.ts";
import { currentTime } from "#platform/clock.ts";

interface DeriveOptions extends CommonOptions {
  usd?: string;
  expires?: number;
  models?: string[];
  addresses?: string[];
  label?: string;
  keyEnv?: string;
}

/** Derives keys on this machine: it needs neither the installation nor its database. */
export function deriveKeyCommand(program: Command, terminal: Terminal): void {
  program
    .command("derive-key")
    .description(
      "Derives a restricted key from an API key or a derived key, which is read from standard input. Asks no gateway.",
    )
    .option("--usd <amount>", "the most that it may spend, in US dollars", amountArgument)
    .option(
      "--expires <time>",
      "30m, 2h, 7d or a date such as 2026-12-31T12:00Z; required for an API key",
      expiryArgument,
    )
    .option("--models <names>", "models, separated by commas; a name may end in *", listArgument)
    .option("--addresses <ranges>", "addresses and ranges of clients, separated by commas", addressesArgument)
    .option("--label <text>", "shown in the log and in the console")
    .option("--key-env <variable>", "read the key from this environment variable")
    .option("--json", "print JSON")
    .action((options: DeriveOptions) =>
      runCommand(terminal, options, async () => {
        const parent = await readParent(terminal, options.keyEnv);
        const restrictions = restrictionsOf(options, parent);
        const derived = derive(parent, restrictions);
        return { json: { ...derived, restrictions }, text: derived.key };
      }),
    );
}

async function readParent(terminal: Terminal, variable: string | undefined): Promise<string> {
  if (variable === undefined && terminal.isInteractive) terminal.err("Enter the key, then Enter and Ctrl+D.");
  const given = variable === undefined ? await readInput(terminal) : (terminal.variables[variable] ?? "");
  const key = given.trim();
  const full = key.startsWith("sk-") ? key : `sk-${key}`;
  const isDerived = full.startsWith(derivedKeyPrefix);
  if (isDerived ? parseDerivedKey(full) !== undefined : /^sk-[\w-]{17,125}$/.test(full)) return full;
  throw new CommandFailure(
    "The key cannot be read. Pass an API key or a derived key on standard input, or name its variable with --key-env.",
    ExitCode.usage,
  );
}

function restrictionsOf(options: DeriveOptions, parent: string): DerivedKeyRestrictions {
  const { usd, expires: exp, models, addresses: ips, label } = options;
  if (exp === undefined && !parent.startsWith(derivedKeyPrefix))
    throw new CommandFailure("Pass --expires, for example --expires 2h.", ExitCode.usage);
  const given = Object.entries({ usd, exp, models, ips, label }).filter(([, value]) => value !== undefined);
  const { data, error } = NewDerivedKeyRestrictions.safeParse(Object.fromEntries(given));
  if (data !== undefined) return data;
  throw new CommandFailure(
    `The restrictions are not valid: ${error.issues.map(({ path }) => path.join(".")).join(", ")}. See docs/derived-keys.md.`,
    ExitCode.usage,
  );
}

function derive(parent: string, restrictions: DerivedKeyRestrictions): { key: string; id: string } {
  try {
    return deriveKey(parent, restrictions);
  } catch (error) {
    if (error instanceof RangeError)
      throw new CommandFailure(error.message, ExitCode.usage, { cause: error });
    throw error;
  }
}

function amountArgument(text: string): string {
  if (DerivedKeyRestrictions.shape.usd.safeParse(text).success) return text;
  throw new InvalidArgumentError("It must be an amount with at most six decimals, such as 1.00.");
}

const unitSeconds: ReadonlyMap<string, number> = new Map([
  ["m", 60],
  ["h", 3_600],
  ["d", 86_400],
]);

function expiryArgument(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const now = currentTime().getTime() / 1_000;
  if (count !== undefined) return Math.floor(now + Number(count) * (unitSeconds.get(unit) ?? 0));
  const at = Date.parse(text) / 1_000;
  if (at > now) return Math.floor(at);
  throw new InvalidArgumentError(
    "It must be 30m, 2h, 7d or a date in the future, such as 2026-12-31T12:00Z.",
  );
}

function listArgument(text: string): string[] {
  return text.split(",").map((name) => name.trim());
}

function addressesArgument(text: string): string[] {
  const addresses = listArgument(text);
  const wrong = addresses.find((address) => !isAddress(address));
  if (wrong === undefined) return addresses;
  throw new InvalidArgumentError(`${wrong} is neither an IP address nor a range.`);
}
