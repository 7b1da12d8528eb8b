import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFormScanner } from "./form-scanner.ts";

const boundary = "xYzZY";

function field(name: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function file(name: string, content: string): string {
  const disposition = `Content-Disposition: form-data; filename="model"; name="${name}"`;
  return `--${boundary}\r\n${disposition}\r\nContent-Type: audio/wav\r\n\r\n${content}\r\n`;
}

const last = `--${boundary}--\r\n`;

function scan(text: string, cuts: number[] = []) {
  const body = Buffer.from(text, "latin1");
  const scanner = createFormScanner(boundary);
  let from = 0;
  for (const cut of cuts.toSorted((a, b) => a - b)) {
    scanner.push(body.subarray(from, cut));
    from = Math.max(from, cut);
  }
  scanner.push(body.subarray(from));
  scanner.end();
  return scanner;
}

describe("the form scanner", () => {
  const sound = `RIFF\r\n--${boundary.slice(0, 3)}\r\n--${boundary}x and so on\r\n--`;
  const form = field("language", "en") + file("file", sound) + field("model", "whisper-1") + last;

  it("finds fields and the size of files, wherever the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(form.length), { maxLength: 12 }), (cuts) => {
        const found = scan(form, cuts);
        expect(Object.fromEntries(found.fields)).toEqual({ language: "en", model: "whisper-1" });
        expect(found.fileBytes).toBe(sound.length);
        expect(found.fileHead.toString("latin1")).toBe(sound.slice(0, 64));
        expect(form.slice(found.model?.from, found.model?.to)).toBe("whisper-1");
      }),
    );
  });

  it("takes what stands before the first boundary and after the last for nothing", () => {
    expect(scan(`a preamble\r\n${form}and an epilogue`).fields.get("model")).toBe("whisper-1");
  });

  it("refuses a form that breaks off, has no parts, or says the model twice", () => {
    expect(() => scan(field("model", "a"))).toThrow(/last boundary/);
    expect(() => scan(last)).toThrow(/no fields/);
    expect(() => scan(field("model", "a") + field("model", "b") + last)).toThrow(/twice/);
    expect(() => scan(field("timestamps[]", "a") + field("timestamps[]", "b") + last)).not.toThrow();
  });

  it("refuses fields without end and headers without end", () => {
    expect(() => scan(field("prompt", "x".repeat(1_100_000)) + last)).toThrow(/too long/);
    expect(() => scan(`--${boundary}\r\nA: ${"x".repeat(20_000)}`)).toThrow(/headers/);
  });

  it("refuses a name that could be read in two ways", () => {
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="x"; name*=utf-8''model\r\n\r\na\r\n`;
    expect(() => scan(part + last)).toThrow(/encoded/);
  });
});
