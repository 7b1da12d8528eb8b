import { comparisonLimits, type ComparisonReport, type Deviation } from "@gateway/shared/site/comparison";
import { type Command, InvalidArgumentError } from "commander";
import { type CommonOptions, type CommandResult, runOn, table, type Terminal } from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import type { Installation } from "#cli/installation.ts";
import { createProgress } from "#cli/progress.ts";
import { fromDescription, sourceAddress } from "#cli/source-address.ts";
import { compareCharges } from "#migration/compare/compare-charges.ts";
import { products } from "#migration/products/index.ts";
import type { Product } from "#migration/products/product.ts";
import { requireProduct } from "#migration/refusals.ts";
import { openLogApi } from "#migration/sources/log-api.ts";
import { openSource } from "#migration/sources/open-source.ts";
import type { Source } from "#migration/sources/source.ts";
import { currentTime } from "#platform/clock.ts";
import { idArgument } from "./arguments.ts";

interface CompareArguments extends CommonOptions {
  channel: number;
  keyName: string;
  from?: string;
  url?: string;
  userId?: number;
  username?: string;
  hours: number;
  window: number;
  tolerance: number;
}

const mostCalls = 200_000;

export function compareCommand(program: Command, terminal: Terminal): void {
  const comparing = program
    .command("compare")
    .description("Compares a channel's charges with those of the old gateway that the channel points to.");
  for (const product of products) {
    const command = comparing
      .command(product.id)
      .description(`Compares with ${product.title}. Nothing is changed on either side.`)
      .requiredOption("--channel <id>", "the channel here that points to the old gateway", idArgument)
      .requiredOption("--key-name <name>", "name of the key there that the channel uses")
      .option("--from <database>", fromDescription)
      .option("--username <name>", "owner of the key there, if several accounts have a key of this name")
      .option(
        "--hours <hours>",
        "compare the calls of the last <hours> hours",
        whole(1, comparisonLimits.hours),
        24,
      )
      .option(
        "--window <seconds>",
        "largest difference between the times of a call",
        whole(1, comparisonLimits.windowSeconds),
        60,
      )
      .option(
        "--tolerance <points>",
        "differences up to this are equal",
        whole(0, comparisonLimits.tolerance),
        1,
      )
      .option("--json", "print the report as JSON")
      .action((options: CompareArguments) =>
        runOn(terminal, options, (installation) => compare(terminal, installation, product, options)),
      );
    if (product.onlyPostgres !== true)
      command
        .option(
          "--url <address>",
          "the old gateway's address instead of its database; OLD_GATEWAY_TOKEN is the access token of the key's owner",
        )
        .option("--user-id <id>", "number of the key's owner, which New API requires with --url", idArgument);
  }
}

function whole(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

async function compare(
  terminal: Terminal,
  { database }: Installation,
  product: Product,
  options: CompareArguments,
): Promise<CommandResult> {
  const channel = await database.db.channel.findUnique({
    where: { id: options.channel },
    select: { id: true, name: true },
  });
  if (channel === null)
    throw new CommandFailure(`There is no channel ${options.channel}. See: gateway channels list`);
  const until = currentTime();
  const source = await open(terminal, product, options, until);
  const progress = createProgress(terminal, new Map());
  try {
    const report = await compareCharges({
      database,
      source,
      product,
      channel,
      keyName: options.keyName,
      username: options.username,
      since: new Date(until.getTime() - options.hours * 3_600_000),
      until,
      windowMs: options.window * 1_000,
      tolerance: BigInt(options.tolerance),
      mostCalls,
      onRow: (rows) => progress.note("calls", rows),
    }).finally(progress.end);
    return {
      json: report,
      text: describe(report),
      exitCode: report.ok ? ExitCode.ok : ExitCode.failed,
    };
  } finally {
    await source.close();
  }
}

async function open(
  terminal: Terminal,
  product: Product,
  options: CompareArguments,
  until: Date,
): Promise<Source> {
  const { url, userId, keyName } = options;
  // The variable does not contradict --url, which may be given while it is set.
  const from = url === undefined ? sourceAddress(terminal, options.from) : options.from;
  if (from !== undefined && url === undefined) {
    const source = await openSource(from);
    try {
      requireProduct(source, product, products);
    } catch (error) {
      await source.close();
      throw error;
    }
    return source;
  }
  if (url === undefined || from !== undefined)
    throw new CommandFailure("Give either --from or --url.", ExitCode.usage);
  const accessToken = terminal.variables["OLD_GATEWAY_TOKEN"] ?? "";
  if (accessToken === "")
    throw new CommandFailure(
      "Set OLD_GATEWAY_TOKEN to the access token of the account that owns the key on the old gateway.",
      ExitCode.usage,
    );
  return openLogApi({ product, address: url, accessToken, userId, keyName, until });
}

const kinds: Record<Deviation["kind"], string> = {
  charge: "different charge",
  ambiguous: "several rows fit",
  missing_there: "not found there",
  missing_here: "not found here",
};
const causes: Record<Deviation["causes"][number], string> = {
  tokens: "different tokens",
  group_ratio: "different group ratio",
  price: "different price",
  unknown: "cause unknown",
};

function describe(report: ComparisonReport): string {
  const { calls, totals, channel, deviations } = report;
  const listed = deviations.map(({ kind, causes: why, model, here, source }) => [
    kind === "charge" ? why.map((cause) => causes[cause]).join(", ") : kinds[kind],
    here?.id ?? `row ${source?.id ?? ""}`,
    model,
    here?.charge ?? "–",
    source?.charge ?? "–",
    here === null ? "–" : `${here.prompt_tokens}+${here.completion_tokens}`,
    source === null ? "–" : `${source.prompt_tokens}+${source.completion_tokens}`,
  ]);
  const deviating = calls.deviating + calls.ambiguous + calls.missing_there + calls.missing_here;
  return [
    `Channel ${channel.id} (${channel.name}) and ${report.origin}, ${report.since} to ${report.until}`,
    table([
      ["calls compared", String(calls.compared)],
      ["found by request id", String(report.matched_by_id)],
      ["equal", String(calls.equal)],
      ["different charge", String(calls.deviating)],
      ["several rows fit", String(calls.ambiguous)],
      ["not found there", String(calls.missing_there)],
      ["not found here", String(calls.missing_here)],
      ["too recent to decide", String(report.too_recent)],
      ["points charged here", totals.here],
      ["points charged there", totals.source],
    ]),
    listed.length === 0
      ? ""
      : table([["Deviation", "Call", "Model", "Points here", "there", "Tokens here", "there"], ...listed]),
    deviating > listed.length ? `${deviating - listed.length} more deviations are not listed.` : "",
    report.ok
      ? "All charges are equal."
      : deviating === 0
        ? "There was no call to compare. Check --channel and --key-name, or give more --hours."
        : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
