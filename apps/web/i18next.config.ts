import { defineConfig } from "i18next-cli";

export default defineConfig({
  locales: ["en_US", "zh_CN", "zh_HK", "ja_JP"],
  extract: {
    // Messages of errors, diagnostics and imports are defined next to their codes.
    input: [
      "src/**/*.{ts,tsx}",
      "../../packages/shared/src/errors/*.ts",
      "../../packages/shared/src/site/diagnosis.ts",
      "../../packages/shared/src/site/import-notes.ts",
    ],
    output: "src/locales/{{language}}.json",
    defaultNS: false,
    primaryLanguage: "en_US",
    // The English phrase is the key.
    keySeparator: false,
    nsSeparator: false,
    functions: ["t", "*.t", "phrase"],
    extractFromComments: false,
    sort: true,
    indentation: 2,
  },
});
