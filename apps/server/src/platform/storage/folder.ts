import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { errorCodeOf } from "#platform/error-code.ts";
import type { ObjectStorage } from "./storage.ts";

/** Suffix of a file that is being written. */
const draftSuffix = ".incomplete";
/** Drafts of killed processes are deleted after this time, in milliseconds. */
const draftsMs = 24 * 3_600_000;

/** Files in a folder, which is created when it is missing. */
export function openFolder(path: string): ObjectStorage {
  const folder = resolve(path);
  return {
    place: folder,
    async write(name, content, signal) {
      const file = join(folder, name);
      const draft = `${file}${draftSuffix}`;
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await removeOldDrafts(dirname(file), basename(name));
        await pipeline(content, createWriteStream(draft, { mode: 0o600 }), { signal });
        await syncFile(draft);
        const { size } = await stat(draft);
        await rename(draft, file);
        await syncFile(dirname(file));
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
    async list(below) {
      try {
        const entries = await readdir(join(folder, below), { withFileTypes: true });
        const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
        return await Promise.all(
          names
            .filter((name) => !name.endsWith(draftSuffix))
            .map(async (name) => ({ name, bytes: (await stat(join(folder, below, name))).size })),
        );
      } catch (error) {
        if (errorCodeOf(error) === "ENOENT") return [];
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

/** Deletes the drafts whose names begin like the one of a file up to its first digit: other files are not ours. */
async function removeOldDrafts(folder: string, file: string): Promise<void> {
  const [start = file] = /^\D*/.exec(file) ?? [];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(start) || !name.endsWith(draftSuffix)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (currentTime().getTime() - mtimeMs > draftsMs) await rm(join(folder, name), { force: true });
  }
}

function failureOf(error: unknown, place: string, file: string): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const detail = error.message;
  const details = { cause: error };
  const code = errorCodeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT")
    return new GatewayError("conflict", { reason: "object_storage_full", place }, details);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new GatewayError("conflict", { reason: "object_storage_denied", place, detail }, details);
  if (code === "ENOENT" && file !== "")
    return new GatewayError("not_found", { reason: "object_missing", file, place }, details);
  return new GatewayError("conflict", { reason: "object_storage_failed", place, detail }, details);
}
