import { defineConfig } from "i18next-cli";

export default defineConfig({
  locales: ["en_US", "zh_CN", "zh_HK", "ja_JP"],
  extract: {
    // Messages of errors, diagnostics and imports are defined next to their codes.
    input: [
      "src/**/*.{ts,tsx}",
      "../../packages/shared/src/errors/*.ts",
      "../../packages/shared/src/site/diagnosis-texts.ts",
      "../../packages/shared/src/site/import-notes.ts",
    ],
    output: "src/locales/{{language}}/{{namespace}}.json",
    // Texts of the frame and of parts that several features use. Every other namespace is a feature's or `errors`.
    defaultNS: "common",
    fallbackNS: "common",
    primaryLanguage: "en_US",
    // The English phrase is the key.
    keySeparator: false,
    nsSeparator: false,
    functions: ["t", "*.t", "phrase"],
    useTranslationNames: ["useTranslation", "phrasesIn"],
    extractFromComments: false,
    sort: true,
    indentation: 2,
  },
});
