import type { Readable } from "node:stream";

/** A place for files: a folder or a bucket. Its errors are `object_storage_…`, `object_missing` and `object_too_large`. */
export interface ObjectStorage {
  /** For messages; contains no secret. */
  place: string;
  /**
   * Stores a file. It appears under its name only when it is complete, and replaces an earlier one. Returns its size in
   * bytes.
   * @param name may have folders, which are created
   * @param signal ends the writing; nothing is stored
   */
  write(name: string, content: Readable, signal: AbortSignal): Promise<number>;
  read(name: string): Promise<Readable>;
  /** Complete files directly in a folder, by their name in it; "" = not in a folder. */
  list(folder: string): Promise<StoredFile[]>;
  remove(name: string): Promise<void>;
}

export interface StoredFile {
  name: string;
  /** Size in bytes. */
  bytes: number;
}
