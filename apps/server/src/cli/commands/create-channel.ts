import { ChannelInput } from "@gateway/shared/channels/channel";
import { DEFAULT_GROUP } from "@gateway/shared/channels/group";
import { issueOf } from "@gateway/shared/errors/issue";
import { type Command, Option } from "commander";
import { providerType, unknownProvider } from "#cli/apply/apply-channels.ts";
import { sentence } from "#cli/apply/read-gateway-file.ts";
import { type CommonOptions, confirm, runOn, type Terminal } from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { operatorOf } from "#cli/operator.ts";
import { readInput } from "#cli/secret-input.ts";
import { createChannel } from "#domain/channels/channels.ts";
import { openProviders } from "#providers/registry.ts";

interface CreateArguments extends CommonOptions {
  type: string;
  models: string[];
  groups: string[];
  keyEnv?: string;
  keyStdin?: boolean;
  baseUrl?: string;
  priority?: string;
  weight?: string;
}

const splitList = (value: string) =>
  value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** The key comes from the environment or from standard input: arguments are visible to other processes. */
export function createChannelCommand(channels: Command, terminal: Terminal): void {
  channels
    .command("create")
    .description("Creates a channel.")
    .argument("<name>")
    .requiredOption("--type <provider>", "id or name of the provider, such as openai, or its number")
    .requiredOption("--models <names>", "models, separated by commas", splitList)
    .option("--groups <symbols>", "user groups, separated by commas", splitList, [DEFAULT_GROUP])
    .option(
      "--key-env <variable>",
      "environment variable that contains the key, or several keys, one per line",
    )
    .addOption(new Option("--key-stdin", "read the key from standard input").conflicts("keyEnv"))
    .option("--base-url <address>", "base URL (default: that of the provider)")
    .option("--priority <number>", "channels with a higher priority are used first")
    .option("--weight <number>", "share of the calls among channels of the same priority")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((name: string, options: CreateArguments) =>
      runOn(terminal, options, async ({ database: { db }, secrets }) => {
        const providers = openProviders();
        const type = providerType(providers, options.type);
        if (type === undefined) throw new CommandFailure(unknownProvider("--type: "), ExitCode.usage);
        const input = parseInput({
          name,
          type,
          key: await readKey(terminal, options),
          models: options.models,
          groups: options.groups,
          base_url: options.baseUrl,
          priority: numberOf(options.priority),
          weight: numberOf(options.weight),
        });
        await confirm(terminal, options, `Create the channel ${input.name}?`);
        const deps = { db, secrets: await secrets(), providers };
        const { id, key_hints } = await createAndDescribe(deps, await operatorOf(db), input);
        return { json: { id, name: input.name, key_hints }, text: `Channel ${id} is created.` };
      }),
    );
}

async function createAndDescribe(...given: Parameters<typeof createChannel>) {
  const row = await createChannel(...given);
  return { id: row.id, key_hints: row.keys.map((key) => key.key_hint) };
}

function parseInput(given: unknown): ChannelInput {
  const parsed = ChannelInput.safeParse(given);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => sentence(issue.path.map(String), issueOf(issue, given)));
  throw new CommandFailure(lines.join("\n"), ExitCode.usage);
}

async function readKey(terminal: Terminal, { keyEnv, keyStdin }: CreateArguments): Promise<string> {
  if (keyStdin === true) return (await readInput(terminal)).trim();
  if (keyEnv === undefined) return "";
  const key = terminal.variables[keyEnv] ?? "";
  if (key !== "") return key;
  throw new CommandFailure(`The environment variable ${keyEnv} is not set.`, ExitCode.usage);
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
