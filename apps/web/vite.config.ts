import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressOnce } from "./compress-once.ts";
import { helpPages } from "./help-pages.ts";
import { leanLibraries } from "./lean-libraries.ts";
import { pureConstants } from "./pure-constants.ts";
import { settingsDefaults } from "./settings-defaults.ts";
import { splitMessages } from "./split-messages.ts";
import { unusedParts } from "./unused-parts.ts";

// Keeps the browser's host, because the server rejects changes from another origin.
const server = { target: "http://localhost:3000", changeOrigin: false };

const mantine = (names: string) => new RegExp(`@mantine/core/esm/components/(${names})/`);

const own = (paths: string) => new RegExp(`apps/web/src/(${paths})\\.tsx?$`);

/** Returns whether a module is the schema library, or a module of the shared package that uses it. */
function hasSchemas(id: string): boolean {
  if (/node_modules\/zod\//.test(id)) return true;
  return (
    /packages\/shared\/src\/.*\.ts$/.test(id) &&
    /^(?!import type).*from "(zod|#paging\.ts|#reasons\.ts)"/m.test(readFileSync(id, "utf8"))
  );
}

const anyOf = (...tests: RegExp[]) => new RegExp(tests.map((test) => test.source).join("|"));

/**
 * Chunks of the build. The first group that matches a module gets it and all its imports, so each group needs
 * only groups above it. They are sorted by when users see them. Automatic splitting would create a hundred
 * files of one kilobyte. e2e/weight.test.ts measures what each page loads.
 */
const files = [
  { name: "first", tags: ["$initial" as const] },
  { name: "first", test: /rolldown\/runtime/ },
  { name: "fields", test: /packages\/shared\/src\/errors\/(fields|issue)/ },
  { name: "messages", test: /packages\/shared\/src\/errors/ },
  {
    name: "base",
    test: anyOf(
      mantine("Input|TextInput|PasswordInput|Alert|SimpleGrid|Divider|Paper|Center"),
      own("components/identity-provider"),
      /react-query\/build\/modern\/useMutation|icons\/IconAlertCircle\./,
    ),
  },
  {
    name: "parts",
    test: anyOf(
      own("components/(provider-icon|code-samples|model-chip|sample-model)|lib/queries/models"),
      own("ui/(copy|form/choice-bar)"),
      /use-debounced-value|icons\/Icon(Search|World|ArrowRight|Receipt2|ArrowsShuffle)\./,
    ),
  },
  { name: "sign-in", test: own("features/session/login-page") },
  { name: "home", test: own("features/site/home-page") },
  // What nearly every screen needs is in the file of the frame, which they all have.
  {
    name: "frame",
    test: anyOf(
      own("app/(console-routes|first-screen)"),
      mantine("Progress"),
      /icons\/Icon(Refresh|ChartBar|CircleCheck|Arrow(Up|Down)Right)\./,
      own("ui/(page|stats|figures|status-dot|relative-time|live-state|trend|quiet-link|form/help-link)"),
      own("components/(amount|channel-hours)|ui/charts/(sparkline|stacked-bars)"),
      own("features/dashboard/(api|first-calls|first-steps)"),
      own(
        "lib/(quota|listed|labels/(reasons|failure-labels|attempt-labels)|log-address|time-zone|live-events|channel-hours)",
      ),
      /packages\/shared\/src\/(accounts\/token-status|channels\/channel-status|billing\/money|usage\/log-type)\./,
    ),
  },
  // Fields, menus and hints that screens without a table have, too.
  {
    name: "controls",
    test: anyOf(
      own(
        "ui/floating/(menu|popover|select|autocomplete|tooltip)|ui/(form/leave-guard|late-dialogs|table/filters)|lib/opened",
      ),
      mantine("SegmentedControl|Collapse|Switch|VisuallyHidden|Checkbox|Indicator"),
      /@mantine\/core\/esm\/core\/utils\/(get-env|create-event-handler)\/|icons\/Icon(Trash|Pencil|ArrowUp)\./,
      /packages\/shared\/src\/(site\/chat-link|channels\/default-group|accounts\/user-status)\./,
    ),
  },
  {
    name: "lists",
    test: anyOf(
      own("ui/table/(data-table|filter-sheet|dropped-filters|row-buttons)"),
      own("lib/(list-queries|list-params)|ui/opened-row"),
      /packages\/shared\/src\/\w+\/(redemption-status|reserved-owners|group-types|outcomes)\./,
    ),
  },
  { name: "scroll", test: mantine("ScrollArea") },
  { name: "float", test: anyOf(own("ui/floating/floating"), mantine("Menu|Popover|Tooltip|Select")) },
  { name: "dialogs", test: anyOf(mantine("Modal|Drawer"), own("ui/form/help-modal")) },
  // Schemas, which only forms need, and the library that they are written with.
  { name: "schemas", test: hasSchemas, minShareCount: 2 },
  { name: "forms", test: anyOf(own("ui/form/form"), mantine("Textarea")) },
  { name: "drawers", test: own("ui/form/form-drawer") },
  { name: "numbers", test: mantine("NumberInput") },
  { name: "tags", test: mantine("TagsInput|MultiSelect") },
  { name: "shared", minShareCount: 12, maxModuleSize: 8_000 },
  { name: "icons", test: /@tabler/, minShareCount: 2 },
];

/** The entry points of react-router lead to its development build. Its production build has no warnings. */
const routerBuild = createRequire(import.meta.resolve("react-router-dom"))
  .resolve("react-router")
  .replace(/development\/[^/]+$/, "production/");

const iconSet = "@lobehub/icons-static-svg";
const { version: iconVersion } = createRequire(import.meta.url)(`${iconSet}/package.json`) as {
  version: string;
};

const mantineFolders = ["core", "modals", "notifications", "spotlight"].map((name) =>
  join(import.meta.dirname, `node_modules/@mantine/${name}/esm`),
);

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
  plugins: [
    react(),
    leanLibraries(),
    settingsDefaults(),
    pureConstants(),
    unusedParts([join(import.meta.dirname, "src")], mantineFolders),
    splitMessages(import.meta.dirname),
    helpPages(),
    compressOnce(),
  ],
  build: {
    target: "es2022",
    // Every browser of this target preloads modules natively.
    modulePreload: { polyfill: false },
    // Logos stay separate files. Inlined they would be part of the first page.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Reading `React.Component` has no side effect, so unused classes that extend it can go.
      treeshake: { propertyReadSideEffects: false },
      output: {
        // One folder per version of the icon set. A hash in each of ninety names would be larger than the
        // names.
        assetFileNames: ({ originalFileNames: [file = ""] }) =>
          file.includes(iconSet)
            ? `assets/icons-${iconVersion}/[name][extname]`
            : "assets/[name]-[hash][extname]",
        codeSplitting: {
          groups: files.map((group, index) => ({ ...group, priority: files.length - index })),
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
