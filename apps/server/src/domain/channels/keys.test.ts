import { describe, expect, it } from "vitest";
import { keysOf } from "./keys.ts";

describe("keysOf", () => {
  it("splits lines into distinct keys", () => {
    expect(keysOf(" sk-1\n\nsk-2 \nsk-1")).toEqual(["sk-1", "sk-2"]);
  });

  it("keeps a JSON document of several lines as one key", () => {
    const account = { type: "service_account", private_key: "-----BEGIN\nEND-----\n" };
    expect(keysOf(JSON.stringify(account, null, 2))).toEqual([JSON.stringify(account)]);
    expect(keysOf("{not json\nsk-2")).toEqual(["{not json", "sk-2"]);
  });
});
