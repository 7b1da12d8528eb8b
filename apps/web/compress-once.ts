/** Compresses what was built, as hard as can be: the server has no time for that while someone waits. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Smaller files gain nothing. */
const worthwhileBytes = 1_024;

/** Writes `x.br` and `x.gz` beside each script, style sheet and drawing. */
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
