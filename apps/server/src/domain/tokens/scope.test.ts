import { TokenSetting } from "@gateway/shared/accounts/token";
import { describe, expect, it } from "vitest";
import { type Caller, addressMatches, mayUseModel, requireUsable } from "./callers.ts";

function caller(part: Partial<Caller> = {}): Caller {
  return {
    tokenId: 1,
    tokenName: "t",
    userId: 1,
    username: "u",
    role: 1,
    userGroup: "default",
    group: "default",
    backupGroup: "",
    unlimited: true,
    tokenEnabled: true,
    mayPin: false,
    mayChangeChannels: false,
    billingTag: "",
    userEnabled: true,
    expiresAt: undefined,
    keyHash: undefined,
    setting: TokenSetting.parse({}),
    sessionSpend: 0,
    accountSessionSpend: undefined,
    derived: undefined,
    ...part,
  };
}

const limited = (models: string[]) =>
  caller({
    setting: TokenSetting.parse({
      limits: {
        limit_model_setting: { enabled: true, models },
        limits_ip_setting: { enabled: false, whitelist: [] },
      },
    }),
  });

describe("requireUsable and mayUseModel", () => {
  it("rejects disabled accounts, disabled keys and expired keys, each with its own code", () => {
    const code = (part: Partial<Caller>) => {
      try {
        requireUsable(caller(part), "127.0.0.1", 1_000);
        return "ok";
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(code({})).toBe("ok");
    expect(code({ userEnabled: false })).toBe("user_disabled");
    expect(code({ tokenEnabled: false })).toBe("token_disabled");
    expect(code({ expiresAt: 1_000 })).toBe("token_expired");
    expect(code({ expiresAt: 1_001 })).toBe("ok");
  });

  it("supports trailing wildcards in a model list, and allows no model for an empty list", () => {
    expect(mayUseModel(limited(["gpt-4*"]), "gpt-4o")).toBe(true);
    expect(mayUseModel(limited(["gpt-4*"]), "gpt-5")).toBe(false);
    expect(mayUseModel(limited([]), "gpt-5")).toBe(false);
    expect(mayUseModel(caller(), "gpt-5")).toBe(true);
  });

  it("matches IPv4 and IPv6 addresses and networks", () => {
    expect(addressMatches("10.1.2.3", ["10.0.0.0/8"])).toBe(true);
    expect(addressMatches("::ffff:10.1.2.3", ["10.1.2.3"])).toBe(true);
    expect(addressMatches("2001:db8::1", ["2001:db8::/32"])).toBe(true);
    expect(addressMatches("11.1.2.3", ["10.0.0.0/8", "2001:db8::/32"])).toBe(false);
    expect(addressMatches("nonsense", ["0.0.0.0/0"])).toBe(false);
  });
});
