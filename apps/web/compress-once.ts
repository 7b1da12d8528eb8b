/** Compresses built files at the highest level. The server has no time for that during a request. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Smaller files are not worth compressing. */
const worthwhileBytes = 1_024;

/** Writes `x.br` and `x.gz` next to each script, style sheet and SVG. */
export function compressOnce(): Plugin {
  return {
    name: "compress-once",
    apply: "build",
    async writeBundle({ dir = "" }) {
      const names = await readdir(dir, { recursive: true });
      await Promise.all(
        names.filter((name) => /\.(js|css|svg)$/.test(name)).map((name) => compress(join(dir, name))),
      );
    },
  };
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < worthwhileBytes) return;
  const hint = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, hint));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
