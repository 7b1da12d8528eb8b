import { createRequire } from "node:module";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressOnce } from "./compress-once.ts";
import { splitMessages } from "./split-messages.ts";

// The host stays as the browser sees it: the server refuses changes that come from another origin.
const server = { target: "http://localhost:3000", changeOrigin: false };

/** What only screens with a form, a filter or a list need. */
const fields =
  /@mantine\/(form|dates)|react-number-format|@mantine\/core\/esm\/components\/(Select|MultiSelect|NumberInput|Checkbox|Pagination|Pills?Input|TagsInput|Switch|Textarea)\//;

const tables = /@tanstack\/(react-)?(table|store)/;
const isCommon = (id: string) => id.includes("node_modules") && !fields.test(id) && !tables.test(id);

/** react-router's entry points lead to its development build; its own production build has no warnings. */
const routerBuild = createRequire(import.meta.resolve("react-router-dom"))
  .resolve("react-router")
  .replace(/development\/[^/]+$/, "production/");

const iconSet = "@lobehub/icons-static-svg";
const { version: iconVersion } = createRequire(import.meta.url)(`${iconSet}/package.json`) as {
  version: string;
};

export default defineConfig(({ command }) => ({
  resolve: {
    alias:
      command === "build"
        ? [
            { find: /^react-router$/, replacement: `${routerBuild}index.mjs` },
            { find: /^react-router\/dom$/, replacement: `${routerBuild}dom-export.mjs` },
          ]
        : [],
  },
  // Addresses are relative to <base href>, which the server sets to its base path.
  base: "./",
  plugins: [react(), splitMessages(import.meta.dirname), compressOnce()],
  build: {
    target: "es2022",
    // Logos stay files: inlined they would be part of the first page.
    assetsInlineLimit: 0,
    // The first page comes in one file, what most screens share in a few others; split by itself it would be a
    // hundred of a kilobyte each.
    rolldownOptions: {
      output: {
        // One folder per version of the icon set: a hash in each of ninety names would weigh more than the names.
        assetFileNames: ({ originalFileNames: [file = ""] }) =>
          file.includes(iconSet)
            ? `assets/icons-${iconVersion}/[name][extname]`
            : "assets/[name]-[hash][extname]",
        codeSplitting: {
          groups: [
            { name: "first", tags: ["$initial"], priority: 3 },
            { name: "icons", test: /@tabler/, minShareCount: 2 },
            { name: "common", test: isCommon, minShareCount: 8, maxModuleSize: 40_000 },
            { name: "tables", test: tables },
            { name: "fields", test: fields, minShareCount: 4 },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 600,
  },
  server: {
    port: 5173,
    proxy: { "/api": server, "/v1": server, "/v1beta": server },
  },
}));
