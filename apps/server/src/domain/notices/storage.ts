import { hostname } from "node:os";
import { type Reason, reasonOf } from "@gateway/shared/reasons";
import type { Db } from "#platform/database/db.ts";
import { freeBytes } from "#platform/disk-space.ts";
import { raiseNotice } from "./notices.ts";

/** Notices about the disk of DATA_DIR: before it is full, and when it refused an upload. Each node has its own disk. */
export interface StorageWatch {
  /** An upload could not be written. */
  refused(reason: Reason): void;
  close(): void;
}

/** Uploads are refused below 256 MB; operators know a little earlier. */
const LOW_BYTES = 512 * 1024 * 1024;
const LOOK_MS = 60_000;
/** While the state lasts, it is reported again after so long. */
const REPEAT_MS = 3_600_000;
const MEGABYTE = 1024 * 1024;

export interface StorageWatchOptions {
  folder: string;
  onError(error: unknown): void;
  /** Bytes that the disk of the folder has left. */
  free?: (folder: string) => Promise<number>;
  everyMs?: number;
}

/** Looks once a minute, and at once. */
export function watchStorage(
  db: Db,
  { folder, onError, free = freeBytes, everyMs = LOOK_MS }: StorageWatchOptions,
): StorageWatch {
  const raisedAt = new Map<string, number>();

  function raise(what: "low" | "refused", reason: Reason): void {
    const at = performance.now();
    if (at - (raisedAt.get(what) ?? -REPEAT_MS) < REPEAT_MS) return;
    raisedAt.set(what, at);
    raiseNotice(db, {
      event: "storage-full",
      topic: `storage:${hostname()}:${what}`,
      facts: { node: hostname(), folder },
      reason,
    }).catch((error: unknown) => {
      // The database may be on the same disk. The next look tries again.
      raisedAt.delete(what);
      onError(error);
    });
  }

  async function look(): Promise<void> {
    const left = await free(folder);
    if (left >= LOW_BYTES) raisedAt.clear();
    else raise("low", reasonOf("storageLow", { megabytes: Math.floor(left / MEGABYTE) }));
  }

  const check = () => void look().catch(onError);
  const timer = setInterval(check, everyMs).unref();
  check();
  return {
    refused: (reason) => raise("refused", reason),
    close: () => clearInterval(timer),
  };
}
