import { describe, expect, it } from "vitest";
import { replaceLoneSurrogates } from "./lone-surrogates.ts";

const whole = (json: string) => [
  String(replaceLoneSurrogates(json)),
  String(replaceLoneSurrogates(Buffer.from(json))),
];

describe("a JSON text", () => {
  it.each([
    [String.raw`"\ud83d"`, String.raw`"\ufffd"`],
    [String.raw`"\uDE00x"`, String.raw`"\ufffdx"`],
    [String.raw`"\ud83d\ud83d\ude00"`, String.raw`"\ufffd\ud83d\ude00"`],
    [String.raw`"\\\ud83d é"`, String.raw`"\\\ufffd é"`],
  ])("has no half surrogates: %s", (json, expected) => {
    for (const text of whole(json)) expect(text).toBe(expected);
  });

  it.each([String.raw`"\ud83d\ude00"`, String.raw`"\\ud83d"`, String.raw`"\ud558\uD7A3"`, '"😀 é 你好"'])(
    "stays as it is: %s",
    (json) => {
      for (const text of whole(json)) expect(text).toBe(json);
    },
  );

  it("stays the same bytes without surrogates", () => {
    const body = Buffer.from('{"a":"b"}');
    expect(replaceLoneSurrogates(body)).toBe(body);
  });
});
