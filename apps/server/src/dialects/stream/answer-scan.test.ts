import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { DialectId } from "#dialects/ir.ts";
import { anyCharacter } from "#test/property-runs.ts";

declare global {
  interface ImportMeta {
    glob(pattern: string, options: object): Record<string, string>;
  }
}

const files = import.meta.glob("../*/fixtures/*.json", { query: "?raw", import: "default", eager: true });
const recorded = Object.entries(files)
  .filter(([path]) => !/\.(?:request|error|array)\.json$/.test(path))
  .map(([path, text]) => {
    const [, id = "openai-chat", , file] = path.split("/");
    return { name: `${id}/${file}`, dialect: dialects[id as DialectId], text };
  });

/** Scans the response in pieces that end at these offsets. */
function scanned(dialect: Dialect, text: string, cuts: readonly number[]) {
  const bytes = Buffer.from(text);
  const answer = dialect.scanResponse();
  let from = 0;
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    answer.scan.push(bytes.subarray(from, cut));
    from = cut;
  }
  const { scan } = answer;
  return {
    usage: answer.usage(),
    tally: { spaces: 0, ...scan.tally },
    endsAt: scan.endsAt,
    isObject: scan.isObject,
  };
}

function whole(dialect: Dialect, text: string) {
  const { usage, tally } = dialect.skimResponse(text, () => true);
  return {
    usage,
    tally: { spaces: 0, ...tally },
    endsAt: Buffer.from(text.trimEnd()).length,
    isObject: true,
  };
}

const cuts = fc.array(fc.nat(), { maxLength: 30 });

describe.each(recorded)("scan of $name", ({ dialect, text }) => {
  it("returns the same for any pieces as for the whole text", () => {
    fc.assert(
      fc.property(cuts, (at) => {
        expect(scanned(dialect, text, at)).toEqual(whole(dialect, text));
      }),
    );
  });
});

const usageIn: Record<DialectId, object> = {
  "openai-chat": { usage: { prompt_tokens: 3, completion_tokens: 4 }, service_tier: "priority" },
  "openai-responses": {
    usage: { input_tokens: 3, output_tokens: 4 },
    output: [{ type: "web_search_call" }, { type: "message" }, { type: "web_search_call" }],
  },
  anthropic: { usage: { input_tokens: 3, output_tokens: 4 } },
  gemini: {
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4 },
    candidates: [{ groundingMetadata: { webSearchQueries: ["one", 'a "second"'] } }],
  },
};

describe.each(Object.values(dialects))("scan of $id", (dialect) => {
  it("counts any text like the whole text, at any chunk boundaries", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 60 });
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        text,
        fc.integer(),
        fc.constantFrom(null, true),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            "content",
            "text",
            "arguments",
            "thinking",
            "refusal",
            "args",
            "input",
            "other",
            "data",
          ),
          tie("any"),
          { maxKeys: 4 },
        ),
      ),
    })).any;
    fc.assert(
      fc.property(value, cuts, fc.boolean(), (extra, at, pretty) => {
        const json = JSON.stringify({ ...usageIn[dialect.id], extra, last: 1 }, null, pretty ? 2 : 0);
        // A lone surrogate is not text in UTF-8.
        const clean = json.replaceAll(/\\ud[89a-f][0-9a-f]{2}/gi, "?");
        expect(scanned(dialect, clean, at)).toEqual(whole(dialect, clean));
      }),
    );
  });

  it("counts a text in the arguments of a call once", () => {
    const json = JSON.stringify({
      ...usageIn[dialect.id],
      content: [
        { type: "tool_use", input: { thinking: "a", deep: [{ text: "b c", input: { text: "d" } }] } },
      ],
      parts: [{ functionCall: { args: { text: "e f", args: { text: "g" } } } }, { text: "h i" }],
    });
    expect(whole(dialect, json)).toEqual(scanned(dialect, json, []));
  });

  it("detects the end of the response, also when white space follows", () => {
    const text = JSON.stringify({ text: "}" });
    expect(scanned(dialect, `\n${text}\n \n`, [4, 9]).endsAt).toBe(text.length + 1);
    expect(scanned(dialect, text.slice(0, -1), []).endsAt).toBeUndefined();
    expect(scanned(dialect, `${text}{}`, []).isObject).toBe(false);
    expect(scanned(dialect, "<html>", []).isObject).toBe(false);
    expect(scanned(dialect, "[{}]", []).isObject).toBe(false);
  });

  it("keeps no long values", () => {
    const { scan } = dialect.scanResponse();
    scan.push(Buffer.from('{"data":"'));
    for (let piece = 0; piece < 50; piece += 1) scan.push(Buffer.alloc(64 * 1024, "a"));
    expect(scan.hasMedia).toBe(true);
    scan.push(Buffer.from('"}'));
    expect(scan.tally).toEqual({ narrow: 0, wide: 0 });
    expect(scan.endsAt).toBe(50 * 64 * 1024 + 11);
  });
});
