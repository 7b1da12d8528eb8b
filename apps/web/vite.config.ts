import { createRequire } from "node:module";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compression } from "vite-plugin-compression2";
import { helpPages } from "./help-pages.ts";
import { settingsDefaults } from "./settings-defaults.ts";

// Keeps the browser's host, because the server rejects changes from another origin.
const server = { target: "http://localhost:3000", changeOrigin: false };

const iconSet = "@lobehub/icons-static-svg";
const { version: iconVersion } = createRequire(import.meta.url)(`${iconSet}/package.json`) as {
  version: string;
};

export default defineConfig({
  // Addresses are relative to <base href>, which the server sets to its base path.
  base: "./",
  plugins: [
    react(),
    settingsDefaults(),
    helpPages(),
    // The server has no time to compress during a request.
    compression({
      algorithms: ["gzip", "brotliCompress"],
      include: /\.(js|json|css|svg)$/,
      threshold: 1_024,
    }),
  ],
  build: {
    target: "es2022",
    license: { fileName: "licenses.md" },
    // Every browser of this target preloads modules natively.
    modulePreload: { polyfill: false },
    // Logos stay separate files. Inlined they would be part of the first page.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // One folder per version of the icon set. A hash in each of ninety names would be larger than the
        // names.
        assetFileNames: ({ originalFileNames: [file = ""] }) =>
          file.includes(iconSet)
            ? `assets/icons-${iconVersion}/[name][extname]`
            : "assets/[name]-[hash][extname]",
        // The first group that matches a module gets it, with what it imports. Without groups, screens share a
        // hundred small files. Forms and schemas are apart from the components of lists, which load no schemas.
        codeSplitting: {
          groups: [
            { name: "first", tags: ["$initial"], priority: 5 },
            { name: "public", test: /features\/(session\/login-page|site\/home-page)/, priority: 4 },
            {
              name: "frame",
              test: /app\/(console-routes|first-screen)|features\/overview\/overview-page|ui\/(confirm|form\/(help-link|leave-guard))\./,
              priority: 3,
            },
            {
              name: "forms",
              test: /node_modules\/(zod|@mantine\/form)\/|shared\/src\/(errors\/issue|paging|reasons)|ui\/form\/(form|form-drawer|error-summary|help-modal|save-keys|first-field|dialog-buttons)\./,
              priority: 2,
            },
            { name: "components", minShareCount: 14, priority: 1 },
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
});
