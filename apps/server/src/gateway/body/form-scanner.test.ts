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

describe("form scanner", () => {
  const sound = `RIFF\r\n--${boundary.slice(0, 3)}\r\n--x and so on\r\n--`;
  const form = field("language", "en") + file("file", sound) + field("model", "whisper-1") + last;

  it("finds fields and file sizes, wherever the bytes are split", () => {
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

  it("accepts only line ends after the last boundary", () => {
    expect(scan(`${form}\r\n\n`).fields.get("model")).toBe("whisper-1");
    expect(scan(form.slice(0, -2)).fields.get("model")).toBe("whisper-1");
    for (const rest of [
      "and an epilogue",
      " ",
      field("model", "dear") + last,
      `\r\n${field("model", "dear")}`,
    ]) {
      expect(() => scan(form + rest), rest).toThrow(/form/i);
      expect(() => scan(form + rest, [form.length - 3, form.length]), rest).toThrow(/form/i);
    }
  });

  it("rejects a form that breaks off, has no parts, or has two models", () => {
    expect(() => scan(field("model", "a"))).toThrow(/last boundary/);
    expect(() => scan(last)).toThrow(/no fields/);
    expect(() => scan(field("model", "a") + field("model", "b") + last)).toThrow(/twice/);
    expect(() => scan(field("timestamps[]", "a") + field("timestamps[]", "b") + last)).not.toThrow();
  });

  it("rejects endless fields and headers", () => {
    expect(() => scan(field("prompt", "x".repeat(270_000)) + last)).toThrow(/larger than 256 KB/);
    const many = Array.from({ length: 30 }, (_, index) => field(`f${index}`, "x".repeat(9_000)));
    expect(() => scan(many.join("") + last)).toThrow(/larger than 256 KB/);
    expect(() => scan(`--${boundary}\r\nA: ${"x".repeat(20_000)}`)).toThrow(/headers/);
  });

  it("accepts the headers that common clients write", () => {
    const part = (headers: string) => `--${boundary}\r\n${headers}\r\n\r\nwhisper-1\r\n`;
    const written = [
      'Content-Disposition: form-data; name="model"',
      'content-disposition: form-data; name="model"\r\nContent-Type: text/plain; charset=utf-8',
      'Content-Disposition: form-data; name="model"\r\nContent-Transfer-Encoding: 8bit\r\nContent-Length: 9',
      "Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=model",
    ];
    for (const headers of written) expect(scan(part(headers) + last).fields.get("model")).toBe("whisper-1");
    const files = [
      "Content-Disposition: form-data; name=file; filename=a.wav; filename*=utf-8''a.wav",
      'Content-Disposition: form-data; name="file"; filename="\u00e4 b.wav"\r\nContent-Type: audio/wav',
      'Content-Disposition: form-data; filename="a.wav"; name="file"',
    ];
    for (const headers of files) expect(scan(part(headers) + last).fileBytes).toBe(9);
  });

  const hostile: Record<string, string> = {
    "an empty file name": 'Content-Disposition: form-data; name="model"; filename=""',
    "a file name": 'Content-Disposition: form-data; name="model"; filename="a"',
    "spaces around =": 'Content-Disposition: form-data; name = "model"',
    "a folded header": 'Content-Disposition: form-data;\r\n name="model"',
    "an encoded name": "Content-Disposition: form-data; name=\"x\"; name*=utf-8''model",
    "an encoded name alone": "Content-Disposition: form-data; name*=utf-8''model",
    "two names": 'Content-Disposition: form-data; name="x"; name="model"',
    "a name in capitals": 'Content-Disposition: form-data; Name="model"',
    "a field in capitals": 'Content-Disposition: form-data; name="Model"',
    "a field with a long s": 'Content-Disposition: form-data; name="\u017ftream"',
    "a quoted pair": 'Content-Disposition: form-data; name="m\\odel"',
    "a quote in the file name": 'Content-Disposition: form-data; name="x"; filename="a\\"; name="model"',
    "a percent sign": 'Content-Disposition: form-data; name="mod%65l"',
    "an encoded word": 'Content-Disposition: form-data; name="=?utf-8?B?bW9kZWw=?="',
    "two dispositions":
      'Content-Disposition: form-data; name="x"\r\nContent-Disposition: form-data; name="model"',
    "another disposition": 'Content-Disposition: attachment; name="model"',
    "no disposition": "Content-Type: text/plain",
    "a header without a colon": 'Content-Disposition: form-data; name="x"\r\nmodel',
    "an encoding": 'Content-Disposition: form-data; name="model"\r\nContent-Transfer-Encoding: base64',
    "a charset": 'Content-Disposition: form-data; name="model"\r\nContent-Type: text/plain; charset=utf-16',
    "parts within a part":
      'Content-Disposition: form-data; name="model"\r\nContent-Type: multipart/mixed; boundary=x',
    "a charset for the form": 'Content-Disposition: form-data; name="_charset_"',
    "a line feed alone":
      'Content-Disposition: form-data; name="x"\nContent-Disposition: form-data; name="model"',
    "a NUL": 'Content-Disposition: form-data; name="model\0"',
  };
  it.each(Object.entries(hostile))("rejects a part with %s", (_what, headers) => {
    const form = `${field("model", "a")}--${boundary}\r\n${headers}\r\n\r\nb\r\n${last}`;
    expect(() => scan(Buffer.from(form).toString("latin1"))).toThrow();
  });

  it("rejects boundaries that only some parsers recognize", () => {
    const second = 'Content-Disposition: form-data; name="x"\r\n\r\nb\r\n';
    const forms = [
      `a preamble\r\n${field("model", "a")}${last}`,
      `${field("model", "a")}--${boundary} \r\n${second}${last}`,
      `${field("model", "a")}--${boundary}\t\r\n${second}${last}`,
      `${field("model", "a")}--${boundary}\n${second}${last}`,
      `${field("prompt", `a\n--${boundary}\r\n${second}`)}${last}`,
      `${field("prompt", `a\r--${boundary}\r\n${second}`)}${last}`,
      `${field("prompt", `a\r\n--${boundary}x`)}${last}`,
    ];
    for (const form of forms)
      for (const cuts of [[], [40, 90, 120]]) expect(() => scan(form, cuts)).toThrow();
  });
});
