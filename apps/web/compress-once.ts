/** Minifies the scripts that are not bundled, and compresses built files at the highest level. The server has no time for that during a request. */
import { readFileSync, writeFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { gzip as zopfli } from "@gfx/zopfli";
import { minifySync, type Plugin } from "vite";

/** Smaller files are not worth compressing. */
const worthwhileBytes = 1_024;

/** Writes `x.br` and `x.gz` next to each script, style sheet and SVG. */
export function compressOnce(): Plugin {
  return {
    name: "compress-once",
    apply: "build",
    async writeBundle({ dir = "" }) {
      const names = await readdir(dir, { recursive: true });
      // The scripts of `public`, which the bundler copies as they are.
      for (const name of names.filter((name) => /^[^/]+\.js$/.test(name))) minifyFile(join(dir, name));
      await Promise.all(
        names.filter((name) => /\.(js|css|svg)$/.test(name)).map((name) => compress(join(dir, name))),
      );
    },
  };
}

function minifyFile(path: string): void {
  writeFileSync(path, minifySync(path, readFileSync(path, "utf8")).code);
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < worthwhileBytes) return;
  const hint = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, hint));
  await writeFile(
    `${path}.gz`,
    path.endsWith(".js") ? await smallest(bytes) : await promisify(gzip)(bytes, { level: 9 }),
  );
}

/** Zopfli writes gzip that is 3 to 5 % smaller than zlib's at its highest level. One round has nearly all of the gain. */
function smallest(bytes: Buffer): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    zopfli(bytes, { numiterations: 1 }, (error, packed) => {
      if (error) reject(error);
      else resolve(packed);
    });
  });
}
