import { openFolder } from "./folder.ts";
import { openS3, type S3Options } from "./s3.ts";
import type { ObjectStorage } from "./storage.ts";

/** Where files are written, as an operator states it: a folder, or a bucket. Plain data. */
export type StorageOptions = { folder: string } | S3Options;

/** Opens a place. An empty endpoint is the one of AWS; slashes around the prefix are ignored. */
export function openStorage(options: StorageOptions): ObjectStorage {
  if ("folder" in options) return openFolder(options.folder);
  return openS3({
    ...options,
    endpoint: options.endpoint || `https://s3.${options.region}.amazonaws.com`,
    prefix: options.prefix.split("/").filter(Boolean).join("/"),
  });
}
