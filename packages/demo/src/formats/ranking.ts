import { type Json, asList, asNumber, asObject, asText } from "#answer/json.ts";
import { piecesOf } from "#answer/pieces.ts";
import { BadQuestion } from "#answer/question.ts";

/** Sorts documents by the share of the query's words that they contain. */
export function rerank(body: Json): Json {
  const query = asText(body["query"]);
  const documents = asList(body["documents"]).map((one) => asText(one) || asText(asObject(one)["text"]));
  if (query === "") throw new BadQuestion("'query' must be a text.", "query");
  if (documents.length === 0) throw new BadQuestion("'documents' must be a list of texts.", "documents");
  const words = wordsOf(query);
  const most = asNumber(body["top_n"]) ?? documents.length;
  const results = documents
    .map((text, index) => {
      const documentTerms = wordsOf(text);
      const share =
        words.size === 0 ? 0 : [...words].filter((word) => documentTerms.has(word)).length / words.size;
      const document = body["return_documents"] === true ? { document: { text } } : {};
      return { index, relevance_score: Number((0.02 + 0.97 * share).toFixed(6)), ...document };
    })
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, Math.max(0, most));
  const tokens = Math.ceil([query, ...documents].reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 4);
  return {
    model: asText(body["model"]),
    object: "list",
    usage: { total_tokens: tokens, prompt_tokens: tokens },
    results,
  };
}

function wordsOf(text: string): Set<string> {
  return new Set(piecesOf(text.toLowerCase().replace(/[.,;:!?，。？！]/g, " ")).map((piece) => piece.trim()));
}
