/** Where backups are, as an argument: a folder, a file, or s3://bucket/prefix. */
import { basename, dirname, resolve } from "node:path";
import { listBackups, timeOfName } from "#domain/backups/stored-backups.ts";
import { openStorage } from "#platform/storage/open-storage.ts";
import type { ObjectStorage } from "#platform/storage/storage.ts";
import type { Terminal } from "./command.ts";
import { CommandFailure, ExitCode } from "./failure.ts";
import { readSecretFile } from "./secret-input.ts";

export const placeDescription =
  "a folder, or s3://bucket/prefix with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL";

/** Opens the place of new files. */
export function openPlace({ variables }: Terminal, argument: string): ObjectStorage {
  if (!argument.startsWith("s3://")) return openStorage({ folder: argument });
  const [, bucket = "", prefix = ""] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(argument) ?? [];
  const accessKeyId = variables["AWS_ACCESS_KEY_ID"] ?? "";
  const secretAccessKey = variables["AWS_SECRET_ACCESS_KEY"] ?? "";
  if (bucket === "" || accessKeyId === "" || secretAccessKey === "")
    throw new CommandFailure(
      "S3 needs s3://bucket/prefix, and the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
      ExitCode.usage,
    );
  const region = variables["AWS_REGION"] || "us-east-1";
  const endpoint = variables["AWS_ENDPOINT_URL_S3"] || variables["AWS_ENDPOINT_URL"] || "";
  return openStorage({ endpoint, region, bucket, prefix, accessKeyId, secretAccessKey });
}

/** Finds the backup that an argument names: a file, or the newest one of a place. */
export async function findBackup(
  terminal: Terminal,
  argument: string,
): Promise<{ storage: ObjectStorage; name: string }> {
  const name = basename(argument);
  if (timeOfName(name) !== undefined) {
    const parent = argument.startsWith("s3://")
      ? argument.slice(0, -name.length - 1)
      : dirname(resolve(argument));
    return { storage: openPlace(terminal, parent), name };
  }
  const storage = openPlace(terminal, argument);
  const [newest] = await listBackups(storage);
  if (newest === undefined)
    throw new CommandFailure(
      `There is no backup in ${storage.place}. Name a folder or a file that "gateway backup" wrote.`,
    );
  return { storage, name: newest.name };
}

/** Returns the passphrase of backups; undefined when none is given. */
export async function readPassphrase(
  { variables }: Terminal,
  file: string | undefined,
): Promise<string | undefined> {
  if (file !== undefined) return readSecretFile(file, "--passphrase-file");
  return variables["BACKUP_PASSPHRASE"] || undefined;
}
