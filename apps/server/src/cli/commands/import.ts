import { readFile } from "node:fs/promises";
import { lookupTable } from "@gateway/shared/lookup-table";
import { MAX_LITELLM_CREDIT } from "@gateway/shared/site/migration";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type CommonOptions, confirm, type CommandResult, runCommand, type Terminal } from "#cli/command.ts";
import { describeReport } from "#cli/describe-report.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { type Installation, withInstallation } from "#cli/installation.ts";
import { createProgress } from "#cli/progress.ts";
import { readSecretFile, warnVisible } from "#cli/secret-input.ts";
import { fromDescription, requireSourceAddress, sourceAddress } from "#cli/source-address.ts";
import { parseLitellmConfig } from "#migration/litellm/config.ts";
import { products } from "#migration/products/index.ts";
import type { LitellmInput, Product } from "#migration/products/product.ts";
import { requireEmpty, requireProduct, listUnknownColumns } from "#migration/refusals.ts";
import type { ImportReport } from "#migration/report.ts";
import { creditPoints, runImport } from "#migration/run-import.ts";
import { openSource } from "#migration/sources/open-source.ts";
import { emptySource, type Source } from "#migration/sources/source.ts";

interface ImportArguments extends CommonOptions {
  from?: string;
  dryRun?: boolean;
  prices?: string;
  logs: number;
  /** LiteLLM only. */
  config?: string;
  saltKey?: string;
  saltKeyFile?: string;
  credit?: number;
}

const longAgoDays = 3_650;
const mostNames = 8;

export function importCommand(program: Command, terminal: Terminal): void {
  const importing = program
    .command("import")
    .description("Imports the data of another gateway into an empty installation.");
  for (const product of products) {
    const command = importing
      .command(product.id)
      .description(`Imports a ${product.title} database. The database is only read, never changed.`)
      .option("--from <database>", fromDescription)
      .option("--dry-run", "print the report and change nothing")
      .option("--logs <days>", "also import the request log of the last <days> days", days, 0)
      .option(
        "--prices <file>",
        "prices that exist only in the old program, as its API returns them (docs/migration.md)",
      )
      .option("--yes", "do not ask")
      .option("--json", "print the report as JSON")
      .action(async (options: ImportArguments, self: Command) => {
        // LiteLLM without a database has all its models in the file.
        const from =
          options.config === undefined
            ? requireSourceAddress(terminal, self, options.from)
            : sourceAddress(terminal, options.from);
        await runCommand(terminal, options, () => importFrom(terminal, product, { ...options, from }));
      });
    if (product.id === "litellm") litellmOptions(command);
  }
}

function litellmOptions(command: Command): void {
  command
    .option(
      "--config <file>",
      "LiteLLM's config.yaml; without --from, only the models in this file are imported",
    )
    .option(
      "--salt-key-file <file>",
      "file with LITELLM_SALT_KEY, or the master key if no salt key is set (default: from the environment)",
    )
    .addOption(
      new Option("--salt-key <key>", "the key itself; other processes can see it").conflicts("saltKeyFile"),
    )
    .option("--credit <dollars>", "starting balance of accounts without a permanent budget", credit);
}

function credit(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= MAX_LITELLM_CREDIT) return value;
  throw new InvalidArgumentError(`It must be a number of dollars from 0 to ${MAX_LITELLM_CREDIT}.`);
}

async function litellmInput(terminal: Terminal, options: ImportArguments): Promise<LitellmInput> {
  const { config } = options;
  return {
    config: config === undefined ? undefined : parseLitellmConfig(await readConfig(config), config),
    saltKey: await givenSaltKey(terminal, options),
    environment: terminal.variables,
  };
}

async function givenSaltKey(
  terminal: Terminal,
  { saltKey, saltKeyFile }: ImportArguments,
): Promise<string | undefined> {
  const { variables } = terminal;
  if (saltKeyFile !== undefined) return readSecretFile(saltKeyFile, "--salt-key-file");
  if (saltKey === undefined)
    return variables["LITELLM_SALT_KEY"] || variables["LITELLM_MASTER_KEY"] || undefined;
  warnVisible(terminal, "--salt-key", "Use --salt-key-file or the variable LITELLM_SALT_KEY instead.");
  return saltKey;
}

async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new CommandFailure(
      `${path} cannot be read. Give the path of LiteLLM's config.yaml after --config.`,
      ExitCode.usage,
      { cause },
    );
  }
}

function days(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= longAgoDays) return value;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${longAgoDays}.`);
}

/** Everything that can be wrong is found before anything is written, also before the tables are created. */
async function importFrom(
  terminal: Terminal,
  product: Product,
  options: ImportArguments & { from: string | undefined },
): Promise<CommandResult> {
  const priceFile = options.prices === undefined ? undefined : await readPrices(options.prices);
  const litellm = product.id === "litellm" ? await litellmInput(terminal, options) : undefined;
  const env = terminal.env();
  const source =
    options.from === undefined ? emptySource(options.config ?? "") : await openSource(options.from);
  try {
    if (options.from !== undefined) requireProduct(source, product, products);
    return await withInstallation(
      env,
      { migrates: true, log: (line) => terminal.err(line) },
      (installation) =>
        importInto(terminal, installation, { ...options, source, product, priceFile, litellm }),
    );
  } finally {
    await source.close();
  }
}

async function importInto(
  terminal: Terminal,
  installation: Installation,
  { source, product, priceFile, litellm, ...options }: ImportArguments & ImportInput,
): Promise<CommandResult> {
  const { database, where } = installation;
  const secrets = await installation.secrets();
  if (await installation.hasTables()) {
    const done = await earlierImport(installation, product);
    if (done !== undefined) return alreadyDone(done);
    await requireEmpty(database.db);
  }
  if (options.dryRun !== true) {
    await confirm(
      terminal,
      options,
      [
        `Import ${product.title} from ${source.origin} into ${where}.`,
        unknownColumns(source, product),
        "Stop the old gateway first, so that its balances are complete. Continue?",
      ]
        .filter((sentence) => sentence !== "")
        .join(" "),
    );
    await installation.migrate();
  }
  const progress = createProgress(terminal, await rowsOf(source));
  const report = await runImport({
    database,
    secrets,
    source,
    product,
    dryRun: options.dryRun === true,
    logDays: options.logs,
    priceFile,
    ...(litellm === undefined ? {} : { litellm }),
    creditPoints: creditPoints(options.credit),
    progress: progress.note,
  }).finally(progress.end);
  return outcomeOf(report);
}

/** Names what a newer version or a fork added to the tables that are read. */
function unknownColumns(source: Source, product: Product): string {
  const names = listUnknownColumns(source, product).flatMap(({ table, columns }) =>
    columns.map((column) => `${table}.${column}`),
  );
  if (names.length === 0) return "";
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `Columns of a newer version, which are not imported: ${names.slice(0, mostNames).join(", ")}${more}.`;
}

interface ImportInput {
  source: Source;
  product: Product;
  priceFile: unknown;
  litellm: LitellmInput | undefined;
}

/** Tables whose rows are many, by the kind of thing that the report counts them as. */
const largeTables = lookupTable<readonly string[]>({
  users: ["users", "LiteLLM_UserTable"],
  tokens: ["tokens", "LiteLLM_VerificationToken"],
  daily_usage: ["statistics", "quota_data", "LiteLLM_DailyUserSpend"],
  redemptions: ["redemptions"],
  orders: ["orders", "top_ups"],
});

/** How many rows each bar stands for. Of the log only some days are read, so its number is not known. */
async function rowsOf(source: Source): Promise<Map<string, number>> {
  const totals = new Map<string, number>();
  for (const [kind, tables] of Object.entries(largeTables))
    for (const table of tables)
      if (source.columns.has(table)) totals.set(kind, (totals.get(kind) ?? 0) + (await source.count(table)));
  return totals;
}

function outcomeOf(report: ImportReport): CommandResult {
  return { json: report, text: describeReport(report), exitCode: report.ok ? ExitCode.ok : ExitCode.failed };
}

/** A second import of the same product finds everything there. */
async function earlierImport(
  { database }: Installation,
  product: Product,
): Promise<ImportReport | undefined> {
  const row = await database.db.import.findFirst({ orderBy: { id: "desc" } });
  if (row === null) return undefined;
  if (row.product === product.id) return row.report as unknown as ImportReport;
  throw new CommandFailure(
    `This installation already has an import of ${row.product}. An import goes into a new installation only.`,
  );
}

function alreadyDone(report: ImportReport): CommandResult {
  return {
    json: { ...report, already_imported: true },
    text: `${report.product} was imported on ${report.finished_at} from ${report.origin}. Nothing was changed.`,
    exitCode: ExitCode.ok,
  };
}

async function readPrices(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(
      `The price file ${path} cannot be read (${why}). Save what the old gateway sends at /api/pricing and give that file.`,
      ExitCode.usage,
      { cause },
    );
  }
}
