import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";

const { gemini } = dialects;
const answer = { candidates: [{ content: { parts: [{ functionCall: { name: "ls", args: {} } }] } }] };

function idsOf(): (string | undefined)[] {
  const part = gemini.decodeResponse(answer).choices[0]?.parts[0];
  const decoder = gemini.decodeStream();
  const events = [...decoder.frame({ event: undefined, data: JSON.stringify(answer) }), ...decoder.end()];
  const call = events.find((event) => event.type === "tool-call");
  return [part?.type === "tool-call" ? part.id : undefined, call?.id];
}

describe("the id of a function call from a server that sends no ids", () => {
  it("is unique among all responses", () => {
    const ids = [...idsOf(), ...idsOf()];
    expect(ids.every((id) => /^call_\w{32}$/.test(id ?? ""))).toBe(true);
    expect(new Set(ids).size).toBe(4);
  });
});
