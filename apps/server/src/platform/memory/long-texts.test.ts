import { expect, it } from "vitest";
import { headOf } from "./long-texts.ts";

it("decodes the beginning of a long text, also where an escape or a character is cut in two", () => {
  const parts = ["plain ", "Grüße ", "漢字", '"quoted"', "back\\slash", "\u0001\n\t", "🙂", "\\u12"];
  for (let shift = 0; shift < 8; shift += 1) {
    const text = ("x".repeat(shift) + parts.join("")).repeat(200);
    const spelled = JSON.stringify(text).slice(1, -1);
    const long = { bytes: Buffer.from(spelled), isEscaped: true };
    for (const characters of [1, 7, 100, 101, 102, 103]) {
      expect(headOf(long, characters)).toBe(text.slice(0, characters));
    }
  }
  const escapes = { bytes: Buffer.from("\\u00e4".repeat(50)), isEscaped: true };
  expect(headOf(escapes, 7)).toBe("ä".repeat(7));
  expect(headOf({ bytes: Buffer.from("no escapes"), isEscaped: false }, 3)).toBe("no ");
});
