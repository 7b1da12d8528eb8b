/** The schema library's own sentences ("too short") in the reader's language, so that forms speak one language. */
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { type Language, matchLanguage } from "./i18n.ts";

async function loadSchemaWords(language: Language): Promise<void> {
  switch (language) {
    case "zh_CN":
      z.config((await import("zod/v4/locales/zh-CN.js")).default());
      break;
    case "zh_HK":
      z.config((await import("zod/v4/locales/zh-TW.js")).default());
      break;
    case "ja_JP":
      z.config((await import("zod/v4/locales/ja.js")).default());
      break;
    case "en_US":
      z.config((await import("zod/v4/locales/en.js")).default());
      break;
  }
}

/** Loads them for what shows forms, and follows the language. */
export function useSchemaWords(): void {
  const { i18n } = useTranslation();
  const language = matchLanguage(i18n.language);
  useEffect(() => {
    if (language) void loadSchemaWords(language);
  }, [language]);
}
