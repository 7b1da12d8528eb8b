/** Database files that the wizard sent to this node. They go to the disk piece by piece, and are removed after the import. */
import { createWriteStream } from "node:fs";
import { access, mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MAX_IMPORT_FILE } from "@gateway/shared/site/migration";
import { GatewayError } from "#errors.ts";
import { freeBytes } from "#platform/disk-space.ts";
import { errorCodeOf } from "#platform/error-code.ts";

/** Bytes of the disk that stay free: this gateway's database may be on it, and the import fills that, too. */
const minimumFree = 512 * 1024 ** 2;
const keptMs = 24 * 3_600_000;
const lookEvery = 64 * 1024 ** 2;
const noSpace = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

export interface UploadLimits {
  /** Bytes. */
  largest?: number;
  free?: (folder: string) => Promise<number>;
}

export interface Uploads {
  /** Path of the file of a run; undefined when this node has none. */
  find(run: number): Promise<string | undefined>;
  /** Stores the file of a run in place of every earlier one. Throws `body_too_large` or `storage_full`. */
  receive(run: number, body: AsyncIterable<Buffer>): Promise<string>;
  clear(): Promise<void>;
  /** Removes what earlier processes left behind a day ago or longer. */
  sweep(): Promise<void>;
}

export function createUploads(dataDir: string, limits: UploadLimits = {}): Uploads {
  const folder = join(dataDir, "imports");
  const { largest = MAX_IMPORT_FILE, free = freeBytes } = limits;
  const pathOf = (run: number) => join(folder, `${run}.db`);

  async function clear(): Promise<void> {
    await rm(folder, { recursive: true, force: true });
  }

  /** Stops a file that grows beyond the limit or fills the disk. */
  function limitSize(): Transform {
    let length = 0;
    let looked = 0;
    return new Transform({
      transform(piece: Buffer, _encoding, done) {
        length += piece.length;
        if (length > largest)
          return done(
            new GatewayError("body_too_large", {
              reason: "import_file_too_large",
              gigabytes: largest / 1024 ** 3,
            }),
          );
        if (length - looked < lookEvery) return done(null, piece);
        looked = length;
        free(folder).then(
          (left) => (left < minimumFree ? done(new GatewayError("storage_full")) : done(null, piece)),
          (error: Error) => done(error),
        );
      },
    });
  }

  return {
    async find(run) {
      const path = pathOf(run);
      return access(path).then(
        () => path,
        () => undefined,
      );
    },
    async receive(run, body) {
      await clear();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if ((await free(folder)) < minimumFree) throw new GatewayError("storage_full");
      const path = pathOf(run);
      const part = `${path}.part`;
      try {
        await pipeline(body, limitSize(), createWriteStream(part, { flags: "wx", mode: 0o600 }));
        await rename(part, path);
        return path;
      } catch (error) {
        await clear();
        if (noSpace.has(errorCodeOf(error) ?? ""))
          throw new GatewayError("storage_full", {}, { cause: error });
        throw error;
      }
    },
    clear,
    async sweep() {
      const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > keptMs) await clear();
    },
  };
}
