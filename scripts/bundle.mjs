// node scripts/bundle.mjs: bundles the server and its libraries into a few files in apps/server/dist, which
// Node loads and compiles much faster. `npm start` and the image run them; development and tests run the
// sources. The `dependencies` of apps/server/package.json are not bundled, and installed in the image: binaries, and
// packages that load files relative to themselves. Every other library is in its `devDependencies`.
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./steps.mjs";

const server = join(root, "apps/server");
/** At the same depth below the root as src/platform, so that paths relative to a module stay valid. */
const output = join(server, "dist/bundle");

const { dependencies } = JSON.parse(readFileSync(join(server, "package.json"), "utf8"));

const { build } = await import(
  pathToFileURL(join(root, "apps/web/node_modules/vite/dist/node/index.js")).href
);
await build({
  root: server,
  configFile: false,
  logLevel: "warn",
  ssr: {
    noExternal: true,
    // "pg" can use pg-native, which is not installed.
    external: [...Object.keys(dependencies), "pg-native"],
  },
  build: {
    ssr: true,
    target: "node24",
    outDir: output,
    emptyOutDir: true,
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      input: {
        main: join(server, "src/main.ts"),
        cli: join(server, "src/cli/main.ts"),
        "export-thread": join(server, "src/domain/logs/export/export-thread.ts"),
      },
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

// A module finds its statements and templates beside itself, in the sources and in the bundle.
const isReadByModules = /\.(sql|sh|ps1|cjs)$/;
for (const file of readdirSync(join(server, "src"), { recursive: true, encoding: "utf8" })) {
  if (!isReadByModules.test(file)) continue;
  const copy = join(output, basename(file));
  if (existsSync(copy)) throw new Error(`Two files that modules read are called ${basename(file)}.`);
  copyFileSync(join(server, "src", file), copy);
}
