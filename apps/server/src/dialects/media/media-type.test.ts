import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { isTextType, typeOfData, withMediaTypes } from "./media-type.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\n0000000000000000", "latin1").toString("base64");
const jpeg = Buffer.from("\xff\xd8\xff\xe0000000000000000000", "latin1").toString("base64");
const pdf = Buffer.from("%PDF-1.7 000000000000").toString("base64");
const text = Buffer.from("name: gateway").toString("base64");
const bytes = Buffer.from([0xfe, 0xff, 0x80, 0x81, 0xc0, 0x00]).toString("base64");

describe("the type of a file", () => {
  it.each([
    [png, "image/jpeg", "", "image/png"],
    [jpeg, "image/jpg", "", "image/jpeg"],
    [jpeg, "application/octet-stream", "", "image/jpeg"],
    [pdf, "application/octet-stream", "", "application/pdf"],
    [pdf, "", "", "application/pdf"],
    [text, "image/jpg", "", "image/jpeg"],
    [text, "application/octet-stream", "a.yaml", "application/yaml"],
    [text, "application/octet-stream", "", "text/plain"],
    [text, "application/pdf", "notes.md", "text/markdown"],
    [bytes, "application/octet-stream", "", "application/octet-stream"],
    [text, "application/xml", "", "application/xml"],
  ])("is that of its bytes, else the declared one, else that of its name", (data, declared, name, type) => {
    expect(typeOfData(data, declared, name)).toBe(type);
  });

  it.each([
    "application/yaml",
    "application/x-yaml",
    "application/xml",
    "text/javascript",
    "application/javascript",
    "application/ld+json",
    "text/csv; charset=utf-8",
  ])("%s is text", (type) => expect(isTextType(type)).toBe(true));

  it.each(["image/png", "application/pdf", "application/zip", "application/octet-stream"])(
    "%s is no text",
    (type) => expect(isTextType(type)).toBe(false),
  );
});

const file = (mediaType: string, data: string): ChatRequest => ({
  model: "m",
  stream: false,
  messages: [
    { role: "user", parts: [{ type: "file", source: { type: "data", mediaType, data }, filename: "a" }] },
  ],
});

describe("a file of text", () => {
  it.each(["application/yaml", "application/xml", "application/javascript", "application/octet-stream"])(
    "declared as %s reaches Messages, Chat and Gemini as text",
    (type) => {
      const request = withMediaTypes(file(type, text));
      for (const id of ["anthropic", "openai-chat", "gemini"] as const) {
        const { body, dropped } = dialects[id].encodeRequest(request);
        expect(dropped).toEqual([]);
        expect(JSON.stringify(body)).toContain(id === "gemini" ? "text/plain" : "name: gateway");
      }
    },
  );

  it("that is an image becomes one", () => {
    const { body } = dialects["openai-responses"].encodeRequest(
      withMediaTypes(file("application/octet-stream", png)),
    );
    expect(JSON.stringify(body)).toContain('"input_image"');
  });
});

describe("a request whose types fit", () => {
  it("stays the same object", () => {
    const request = file("application/pdf", pdf);
    expect(withMediaTypes(request)).toBe(request);
  });
});
