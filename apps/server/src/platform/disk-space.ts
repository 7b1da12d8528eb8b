import { randomUUID } from "node:crypto";
import { mkdir, open, statfs, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Returns the bytes that this process may still write to the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Creates the folder if it is missing, and a file in it. Returns the system's reason if that fails, e.g. "EACCES:
 * permission denied"; undefined when the folder can be written.
 */
export async function writeProblem(folder: string): Promise<string | undefined> {
  const path = join(folder, `.write-check-${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    await (await open(path, "wx", 0o600)).close();
    await unlink(path);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split(",")[0] ?? error.name) : String(error);
  }
}
