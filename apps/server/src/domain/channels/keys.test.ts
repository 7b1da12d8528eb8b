import { describe, expect, it } from "vitest";
import { keysOf } from "./channels.ts";

describe("the keys that someone pastes", () => {
  it("stand one per line, each once", () => {
    expect(keysOf(" sk-1\n\nsk-2 \nsk-1")).toEqual(["sk-1", "sk-2"]);
  });

  it("are one when they are a document of several lines", () => {
    const account = { type: "service_account", private_key: "-----BEGIN\nEND-----\n" };
    expect(keysOf(JSON.stringify(account, null, 2))).toEqual([JSON.stringify(account)]);
    expect(keysOf("{not json\nsk-2")).toEqual(["{not json", "sk-2"]);
  });
});
