import { hostname } from "node:os";
import { plainReason, type Reason, reasonBecause, reasonOf } from "@gateway/shared/reasons";
import type { Db } from "#platform/database/db.ts";
import { freeBytes, writeProblem } from "#platform/disk-space.ts";
import { raiseNotice } from "./notices.ts";

/**
 * Notices about the disk of DATA_DIR: before it is full, when it cannot be written, and when it rejected an upload.
 * Each node has its own disk.
 */
export interface StorageWatch {
  /** Reports an upload that could not be written. */
  refused(reason: Reason): void;
  /** Whether the folder could be written at the last check. */
  isWritable(): boolean;
  close(): void;
}

/** Uploads are rejected below 256 MB. Operators are notified earlier. */
const LOW_BYTES = 512 * 1024 * 1024;
const LOOK_MS = 60_000;
/** Interval after which a lasting problem is reported again. */
const REPEAT_MS = 3_600_000;
const MEGABYTE = 1024 * 1024;

export interface StorageWatchOptions {
  folder: string;
  onError(error: unknown): void;
  /** Returns the free bytes on the disk of the folder. */
  free?: (folder: string) => Promise<number>;
  everyMs?: number;
}

/** Checks the disk at once and then every `everyMs`, by default once a minute. */
export function watchStorage(
  db: Db,
  { folder, onError, free = freeBytes, everyMs = LOOK_MS }: StorageWatchOptions,
): StorageWatch {
  const raisedAt = new Map<string, number>();
  let isWritable = true;

  function raise(what: "low" | "refused" | "unwritable", reason: Reason): void {
    const at = performance.now();
    if (at - (raisedAt.get(what) ?? -REPEAT_MS) < REPEAT_MS) return;
    raisedAt.set(what, at);
    raiseNotice(db, {
      event: "storage-full",
      topic: `storage:${hostname()}:${what}`,
      facts: { node: hostname(), folder },
      reason,
    }).catch((error: unknown) => {
      // The database may be on the same disk. The next check tries again.
      raisedAt.delete(what);
      onError(error);
    });
  }

  async function look(): Promise<void> {
    const problem = await writeProblem(folder);
    isWritable = problem === undefined;
    if (problem !== undefined)
      return raise("unwritable", reasonBecause("uploadFailed", plainReason(problem)));
    const left = await free(folder);
    if (left >= LOW_BYTES) raisedAt.clear();
    else raise("low", reasonOf("storageLow", { megabytes: Math.floor(left / MEGABYTE) }));
  }

  const check = () => void look().catch(onError);
  const timer = setInterval(check, everyMs).unref();
  check();
  return {
    refused: (reason) => raise("refused", reason),
    isWritable: () => isWritable,
    close: () => clearInterval(timer),
  };
}
