/** Secrets for a command: from files, variables and standard input, because other processes can see its arguments. */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import type { Terminal } from "./command.ts";
import { CommandFailure, ExitCode } from "./failure.ts";

/** Bytes. A service account of a cloud has 3 kB. */
const mostBytes = 64 * 1024;

/** @throws CommandFailure when it is longer than 64 KB */
export async function readInput({ input }: Terminal): Promise<string> {
  return boundedText(input, "Standard input");
}

/**
 * Reads a file that has a secret and nothing else.
 * @param option its name, for the message
 * @throws CommandFailure when it cannot be read, is empty or is longer than 64 KB
 */
export async function readSecretFile(path: string, option: string): Promise<string> {
  const secret = await boundedText(createReadStream(path), path).catch((cause: unknown) => {
    if (cause instanceof CommandFailure) throw cause;
    throw new CommandFailure(
      `${path} cannot be read. Check the path after ${option} and the file's permissions.`,
      ExitCode.usage,
      { cause },
    );
  });
  if (secret.trim() !== "") return secret.trim();
  throw new CommandFailure(`${path} is empty. It must contain the value of ${option}.`, ExitCode.usage);
}

/** Warns that an argument with a secret can be seen. */
export function warnVisible(terminal: Terminal, argument: string, instead: string): void {
  terminal.err(`Warning: other processes on this machine can see ${argument}. ${instead}`);
}

async function boundedText(stream: Readable, name: string): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    const bytes = Buffer.from(piece as Uint8Array);
    length += bytes.length;
    if (length > mostBytes)
      throw new CommandFailure(`${name} is longer than ${mostBytes / 1024} KB.`, ExitCode.usage);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString("utf8");
}
