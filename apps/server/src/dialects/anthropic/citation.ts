import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { Citation } from "#dialects/ir.ts";
import { compact, ownFields, readAs } from "#dialects/wire.ts";

const wireCitation = z.looseObject({
  type: z.string(),
  url: z.string().nullish(),
  source: z.string().nullish(),
  title: z.string().nullish(),
  document_title: z.string().nullish(),
  cited_text: z.string().nullish(),
});

/**
 * Decodes a citation. `raw` keeps the complete wire form, because positions
 * in documents are only meaningful in this dialect.
 */
export function decodeCitation(value: unknown): Citation | undefined {
  const wire = readAs(wireCitation, value);
  if (wire === undefined) return undefined;
  return compact<Citation>({
    url: wire.url ?? wire.source ?? undefined,
    title: wire.title ?? wire.document_title ?? undefined,
    citedText: wire.cited_text ?? undefined,
    raw: { dialect: "anthropic", fields: wire },
  });
}

/** Returns a list with one citation, or an empty list when it has neither this dialect's form nor a URL. */
export function encodeCitation(citation: Citation): Wire[] {
  const own = ownFields("anthropic", citation.raw);
  if (own !== undefined) return [own];
  if (citation.url === undefined) return [];
  return [
    {
      type: "web_search_result_location",
      url: citation.url,
      title: citation.title ?? null,
      cited_text: citation.citedText ?? "",
      encrypted_index: "",
    },
  ];
}
