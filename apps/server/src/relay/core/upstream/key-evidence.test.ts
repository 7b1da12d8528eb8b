import { describe, expect, it } from "vitest";
import type { UpstreamError } from "#dialects/ir.ts";
import { asKeyFailure } from "./key-evidence.ts";

const keywords = "workspace closed\nno more money";
const error: UpstreamError = { kind: "bad-request", message: "Sorry: Workspace Closed.", status: 400 };
const requested = (body: string, model = "demo-chat") => ({ raw: Buffer.from(body), model });
const kindOf = (body: string, model?: string) => asKeyFailure(error, keywords, requested(body, model)).kind;

describe("asKeyFailure", () => {
  it("maps a provider message with a configured phrase to a rejected key", () => {
    expect(kindOf(`{"messages":[]}`)).toBe("auth");
    expect(asKeyFailure(error, "", requested("{}"))).toBe(error);
    expect(asKeyFailure(error, "another", requested("{}"))).toBe(error);
  });

  it("ignores a phrase that the caller wrote, in any spelling", () => {
    expect(kindOf(`{"user":"workspace closed"}`)).toBe("bad-request");
    expect(kindOf(`{"user":"\\u0077orkspace\\u0020CLOSED"}`)).toBe("bad-request");
    expect(kindOf(`{"workspace closed":1}`)).toBe("bad-request");
    expect(kindOf("not JSON: workspace closed")).toBe("bad-request");
    expect(kindOf("{}", "workspace closed")).toBe("bad-request");
  });

  it("ignores a phrase in the rejection of a body that cannot be read", () => {
    expect(asKeyFailure(error, keywords, { model: "demo-chat" })).toBe(error);
    const broken = { ...error, kind: "server" } as const;
    expect(asKeyFailure(broken, keywords, { model: "demo-chat" }).kind).toBe("auth");
  });

  it("keeps errors that are already classified or did not come from the provider", () => {
    for (const kind of ["quota", "network", "timeout"] as const)
      expect(asKeyFailure({ ...error, kind }, keywords, requested("{}")).kind).toBe(kind);
  });
});
