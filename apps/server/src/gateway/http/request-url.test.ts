import { describe, expect, it } from "vitest";
import { standardUrl } from "./request-url.ts";

const withKey = { authorization: "Bearer sk-1" };
const ask = (method: string, url: string, headers: Record<string, string> = withKey, basePath = "") =>
  standardUrl({ method, url, headers }, basePath);

describe("the address of a client", () => {
  it("may lack the version, for every endpoint of OpenAI and Anthropic", () => {
    for (const path of [
      "/chat/completions",
      "/completions",
      "/responses",
      "/responses/resp_1/input_items?limit=2",
      "/messages",
      "/messages/count_tokens",
      "/models/gemini-2.5-flash:generateContent",
      "/embeddings",
      "/images/generations",
      "/audio/speech",
      "/moderations",
      "/rerank",
      "/files",
    ]) {
      expect(ask("POST", path)).toBe(`/v1${path}`);
      expect(ask("POST", `//${path.slice(1)}`)).toBe(`/v1${path}`);
      expect(ask("POST", `/gateway${path}`, withKey, "gateway")).toBe(`/gateway/v1${path}`);
      expect(ask("OPTIONS", path, {})).toBe(`/v1${path}`);
    }
  });

  it("of the model list is a page for browsers and crawlers, and a list for clients with a key", () => {
    for (const path of ["/models", "/models/gpt-5"]) {
      expect(ask("GET", path, { accept: "text/html,*/*" })).toBe(path);
      expect(ask("GET", path, { accept: "*/*" })).toBe(path);
      expect(ask("GET", path, { ...withKey, accept: "text/html" })).toBe(path);
      for (const name of ["authorization", "x-api-key", "x-goog-api-key", "api-key"])
        expect(ask("GET", path, { [name]: "sk-1", accept: "*/*" })).toBe(`/v1${path}`);
    }
  });

  it("stays where it names a version or another part of the site", () => {
    for (const path of ["/v1/chat/completions", "/api/models", "/modelsx", "/panel/log", "/messagesx", "/"])
      expect(ask("POST", path)).toBe(path);
  });
});
