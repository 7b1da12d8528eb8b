import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { type BackupStorage, backupsAmong } from "./storage.ts";

/** Suffix of a file that is being written. */
const draftSuffix = ".incomplete";
/** Drafts of killed processes are deleted after this time, in milliseconds. */
const draftsMs = 24 * 3_600_000;

/** Backups in a folder, which is created when it is missing. */
export function openFolder(path: string): BackupStorage {
  const folder = resolve(path);
  return {
    place: folder,
    async write(name, content, signal) {
      const draft = join(folder, `${name}${draftSuffix}`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await removeOldDrafts(folder);
        await pipeline(content, createWriteStream(draft, { mode: 0o600 }), { signal });
        await syncFile(draft);
        const { size } = await stat(draft);
        await rename(draft, join(folder, name));
        await syncFile(folder);
        return size;
      } catch (error) {
        content.destroy();
        await rm(draft, { force: true }).catch(() => undefined);
        throw failureOf(error, folder, name);
      }
    },
    async read(name) {
      try {
        const file = await open(join(folder, name));
        return createReadStream("", { fd: file });
      } catch (error) {
        throw failureOf(error, folder, name);
      }
    },
    async list() {
      try {
        const names = await readdir(folder);
        const files = names.filter((name) => !name.endsWith(draftSuffix));
        return backupsAmong(
          await Promise.all(
            files.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })),
          ),
        );
      } catch (error) {
        if (hasCode(error, "ENOENT")) return [];
        throw failureOf(error, folder, "");
      }
    },
    async remove(name) {
      await rm(join(folder, name), { force: true }).catch((error: unknown) => {
        throw failureOf(error, folder, name);
      });
    },
  };
}

/** Rename and content survive a power cut. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function removeOldDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith("gateway-") || !name.endsWith(draftSuffix)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (currentTime().getTime() - mtimeMs > draftsMs) await rm(join(folder, name), { force: true });
  }
}

function failureOf(error: unknown, place: string, file: string): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const detail = error.message;
  const details = { cause: error };
  if (hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT"))
    return new GatewayError("conflict", { reason: "backup_storage_full", place }, details);
  if (hasCode(error, "EACCES") || hasCode(error, "EPERM") || hasCode(error, "EROFS"))
    return new GatewayError("conflict", { reason: "backup_storage_denied", place, detail }, details);
  if (hasCode(error, "ENOENT") && file !== "")
    return new GatewayError("not_found", { reason: "backup_missing", file, place }, details);
  return new GatewayError("conflict", { reason: "backup_storage_failed", place, detail }, details);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
