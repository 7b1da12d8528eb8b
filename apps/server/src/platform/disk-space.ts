import { statfs } from "node:fs/promises";

/** Bytes that the disk of a folder has left for this process. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
