import type { WebSearchEngine } from "@gateway/shared/models/web-search";
import type { SearchEngine } from "#domain/web-search/engine.ts";
import { bing } from "./bing.ts";
import { brave } from "./brave.ts";
import { exa } from "./exa.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

export const searchEngines: Readonly<Record<WebSearchEngine, SearchEngine>> = {
  searxng,
  brave,
  tavily,
  exa,
  bing,
};
