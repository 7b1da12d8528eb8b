import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";

/**
 * Bytes that are written once and may be read several times: in memory while they are few, else in a file that has
 * no name any more, so that nothing is left of it whatever happens to the process.
 */
export interface Spool {
  readonly length: number;
  append(chunk: Buffer): Promise<void>;
  /** From `from` up to `to`, in pieces of bounded size. */
  read(from: number, to: number): AsyncGenerator<Buffer, void, undefined>;
  close(): Promise<void>;
}

const IN_MEMORY = 1024 * 1024;
const PIECE = 64 * 1024;

/** @param folder where larger bodies are written; it must exist */
export function createSpool(folder: string): Spool {
  let kept: Buffer[] = [];
  let length = 0;
  let file: FileHandle | undefined;

  async function toFile(): Promise<FileHandle> {
    const path = join(folder, `upload-${randomUUID()}`);
    const opened = await open(path, "wx+", 0o600);
    await unlink(path);
    return opened;
  }

  return {
    get length() {
      return length;
    },
    async append(chunk) {
      if (file === undefined && length + chunk.length > IN_MEMORY) {
        file = await toFile();
        for (const piece of kept) await file.write(piece);
        kept = [];
      }
      if (file === undefined) kept.push(chunk);
      else await file.write(chunk);
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
      await file?.close();
    },
  };
}
