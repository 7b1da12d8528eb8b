/** The search services that the gateway can call for models without a web search of their own. */
export const webSearchEngines = ["searxng", "brave", "tavily", "exa", "bing"] as const;
export type WebSearchEngine = (typeof webSearchEngines)[number];

/** Most searches of one call, whatever its client allows. */
export const mostWebSearches = 20;

/** Most domains that one search can name, and their length in characters: that of names in the DNS. */
export const mostSearchDomains = 100;
export const longestSearchDomain = 253;
