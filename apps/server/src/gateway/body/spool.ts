import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "#errors.ts";
import { addPiece } from "#platform/body/add-piece.ts";
import { freeBytes } from "#platform/disk-space.ts";
import { errorCodeOf } from "#platform/error-code.ts";

/**
 * Bytes that are written once and read any number of times. Small content stays in memory, large content in
 * an unlinked file, so that nothing remains on disk even after a crash.
 */
export interface Spool {
  readonly length: number;
  append(chunk: Buffer): Promise<void>;
  /** Reads from `from` up to `to`, in pieces of bounded size. */
  read(from: number, to: number): AsyncGenerator<Buffer, void, undefined>;
  close(): Promise<void>;
}

const MEGABYTE = 1024 * 1024;
const IN_MEMORY = MEGABYTE;
const PIECE = 64 * 1024;
/** Limit for all uploads in progress, and for those of one account, in bytes. */
const MAX_ON_DISK = 10_240 * MEGABYTE;
const MAX_OF_ACCOUNT = 2_560 * MEGABYTE;
/** Bytes of the disk that uploads leave free: the database may be on the same disk. */
const MIN_FREE = 256 * MEGABYTE;
/** The disk is full, or the folder cannot be written. */
const noSpace = new Set("ENOSPC EDQUOT EFBIG EACCES EPERM EROFS ENOENT ENOTDIR EIO EMFILE ENFILE".split(" "));
let onDisk = 0;
const onDiskOf = new Map<number, number>();

/** Counts bytes that the account has on disk; fewer than 0 when they are freed. */
function count(account: number, bytes: number): void {
  onDisk += bytes;
  const own = (onDiskOf.get(account) ?? 0) + bytes;
  if (own === 0) onDiskOf.delete(account);
  else onDiskOf.set(account, own);
}

export interface SpoolPlace {
  /** Existing directory for larger bodies. */
  folder: string;
  /** Whose body it is. */
  account: number;
  maxOfAccount?: number;
  /** Returns the free bytes of the folder's disk. */
  free?: typeof freeBytes;
}

export function createSpool(place: SpoolPlace): Spool {
  const { folder, account, maxOfAccount = MAX_OF_ACCOUNT, free = freeBytes } = place;
  let kept: Buffer[] = [];
  let length = 0;
  let file: FileHandle | undefined;
  let written = 0;

  async function toFile(): Promise<FileHandle> {
    if ((await free(folder)) < MIN_FREE) throw storageFull();
    const path = join(folder, `upload-${randomUUID()}`);
    const opened = await open(path, "wx+", 0o600);
    await unlink(path);
    return opened;
  }

  async function write(to: FileHandle, piece: Buffer): Promise<void> {
    if ((onDiskOf.get(account) ?? 0) + piece.length > maxOfAccount) throw tooManyUploads(maxOfAccount);
    if (onDisk + piece.length > MAX_ON_DISK) throw storageFull();
    count(account, piece.length);
    written += piece.length;
    // A nearly full disk may write only a part.
    for (let at = 0; at < piece.length;) at += (await to.write(piece, at)).bytesWritten;
  }

  return {
    get length() {
      return length;
    },
    async append(chunk) {
      try {
        if (file === undefined && length + chunk.length > IN_MEMORY) {
          file = await toFile();
          for (const piece of kept) await write(file, piece);
          kept = [];
        }
        if (file === undefined) addPiece(kept, chunk);
        else await write(file, chunk);
      } catch (error) {
        throw isNoSpace(error) ? storageFull(error) : error;
      }
      length += chunk.length;
    },
    async *read(from, to) {
      if (file === undefined) {
        const whole = Buffer.concat(kept);
        kept = [whole];
        if (from < to) yield whole.subarray(from, to);
        return;
      }
      for (let at = from; at < to;) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE, to - at));
        const { bytesRead } = await file.read(piece, 0, piece.length, at);
        if (bytesRead === 0) throw new Error("A spooled body is shorter than it was.");
        at += bytesRead;
        yield piece.subarray(0, bytesRead);
      }
    },
    async close() {
      kept = [];
      count(account, -written);
      written = 0;
      await file?.close();
    },
  };
}

function isNoSpace(error: unknown): boolean {
  return noSpace.has(errorCodeOf(error) ?? "");
}

/** Returns the error for an upload that cannot be stored during its call. */
function storageFull(cause?: unknown): GatewayError {
  return new GatewayError("storage_full", {}, { retryAfter: 60, cause });
}

function tooManyUploads(bytes: number): GatewayError {
  const params = { reason: "uploads_at_once", megabytes: Math.floor(bytes / MEGABYTE) } as const;
  return new GatewayError("rate_limit_exceeded", params, { retryAfter: 5 });
}
