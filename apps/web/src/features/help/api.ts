/** Loads the list of pages and the pages of Help. The build makes them from docs/. */
import { queryOptions } from "@tanstack/react-query";
import { indexes, pages } from "virtual:help";
import type { Language } from "#lib/i18n.ts";
import type { HelpLanguage } from "./content.ts";

export function helpLanguageOf(language: Language): HelpLanguage {
  return language === "zh_CN" ? "zh_CN" : "en_US";
}

export const helpIndexQuery = (language: HelpLanguage) =>
  queryOptions({
    queryKey: ["help", "index", language],
    queryFn: async () => (await indexes[language]()).default,
    staleTime: Infinity,
  });

/** @param id a page of the index */
export const helpPageQuery = (id: string, language: HelpLanguage) =>
  queryOptions({
    queryKey: ["help", "page", language, id],
    queryFn: async () => {
      const load = pages[`${language}/${id}`];
      if (load === undefined) throw new Error(`Help has no page ${id} in ${language}.`);
      return (await load()).default;
    },
    staleTime: Infinity,
  });
