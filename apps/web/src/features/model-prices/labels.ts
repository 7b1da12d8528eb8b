/** Names of kinds of models and of orders. English; translate when displayed. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { phrasesIn } from "#lib/i18n.ts";
import type { Sorting } from "./offers.ts";

const phrase = phrasesIn("model-prices");

const kinds = lookupTable<string>({
  chat: phrase("Chat"),
  image: phrase("Images"),
  audio: phrase("Audio"),
  video: phrase("Video"),
  embedding: phrase("Embeddings"),
  rerank: phrase("Reranking"),
  moderation: phrase("Moderation"),
});

export function modelKindName(kind: string): string {
  return kinds[kind] ?? kind;
}

const orders: Record<Sorting, string> = {
  usage: phrase("Most used"),
  price: phrase("Lowest price"),
  context: phrase("Longest context"),
  name: phrase("Name"),
};

export function nameOfSorting(sorting: Sorting): string {
  return orders[sorting];
}
