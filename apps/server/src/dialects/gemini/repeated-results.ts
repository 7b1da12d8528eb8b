import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";

/**
 * Removes results that a content contains twice, as Gemini CLI sends them when it resumes a session. The
 * provider requires as many results as calls. Returns the same object if there are none. Pure.
 */
export function withoutRepeatedResults(body: Wire): Wire {
  const { contents } = body;
  if (!Array.isArray(contents)) return body;
  let isChanged = false;
  const edited = contents.map((content: unknown) => {
    const parts = asRecord(content)?.["parts"];
    if (!Array.isArray(parts) || parts.length < 2) return content;
    const seen = new Set<string>();
    const kept = parts.filter((part: unknown) => {
      const id = asRecord(asRecord(part)?.["functionResponse"])?.["id"];
      if (typeof id !== "string" || id === "") return true;
      const isFirst = !seen.has(id);
      seen.add(id);
      return isFirst;
    });
    if (kept.length === parts.length) return content;
    isChanged = true;
    return { ...asRecord(content), parts: kept };
  });
  return isChanged ? { ...body, contents: edited } : body;
}
