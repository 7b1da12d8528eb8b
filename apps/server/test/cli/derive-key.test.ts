import { describe, expect, it } from "vitest";
import {
  authenticateLevels,
  derivationIdOf,
  derivationSecretOf,
  parseDerivedKey,
} from "#domain/tokens/derived-keys/derived-key.ts";
import { cliWithInput, shellVariables } from "./cli.ts";

const apiKey = `sk-${"Ab1".repeat(16)}`;
/** The command must not connect to anything. */
const unreachable = "postgres://nobody@127.0.0.1:1/nothing";
const derive = (input: string, ...args: string[]) => cliWithInput(unreachable, input, "derive-key", ...args);

function check(key: string) {
  const parsed = parseDerivedKey(key);
  expect(parsed?.parentId).toBe(derivationIdOf(apiKey));
  return {
    ids: parsed && authenticateLevels(parsed, derivationSecretOf(apiKey)),
    levels: parsed?.levels.map(({ restrictions }) => restrictions),
  };
}

describe("gateway derive-key", () => {
  it("derives a key from an API key, and another one from that", async () => {
    const limits = ["--usd", "1.00", "--expires", "2h", "--models", "demo-*, dear", "--label", "planner"];
    const { exitCode, out, err } = await derive(
      `${apiKey}\n`,
      ...limits,
      "--addresses",
      "10.0.0.0/8,2001:db8::1",
    );
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const { levels } = check(out);
    expect(levels).toEqual([
      {
        usd: "1.00",
        exp: expect.any(Number),
        models: ["demo-*", "dear"],
        ips: ["10.0.0.0/8", "2001:db8::1"],
        label: "planner",
        nonce: expect.any(String),
      },
    ]);
    expect(Math.abs((levels?.[0]?.exp ?? 0) - Date.now() / 1_000 - 7_200)).toBeLessThan(60);
    const next = (await derive(out, "--usd", "0.1", "--json")).json() as { key: string; id: string };
    expect(check(next.key).ids).toEqual([expect.any(String), next.id]);
  });

  it("reads the key from a variable, and accepts it without its prefix", async () => {
    shellVariables["AGENT_KEY"] = apiKey.slice(3);
    const { out } = await derive("", "--expires", "2099-01-01T00:00Z", "--key-env", "AGENT_KEY");
    expect(check(out)).toMatchObject({ ids: [expect.any(String)], levels: [{ exp: 4_070_908_800 }] });
  });

  it.each<[string, string, string[], string]>([
    ["without an expiry", apiKey, ["--usd", "1"], "--expires"],
    ["with an expiry that is over", apiKey, ["--expires", "2020-01-01"], "in the future"],
    ["with an amount that is none", apiKey, ["--expires", "2h", "--usd", "1,00"], "six decimals"],
    ["with a wrong address", apiKey, ["--expires", "2h", "--addresses", "10.0.0.0/99"], "neither"],
    ["with a long label", apiKey, ["--expires", "2h", "--label", "x".repeat(41)], "label"],
    [
      "with too many restrictions",
      apiKey,
      ["--expires", "2h", "--models", ["x", "y", "z"].map((name) => name.repeat(150)).join(",")],
      "512 characters",
    ],
    ["without a key", "", ["--expires", "2h"], "cannot be read"],
    ["with a pin", `${apiKey}#12`, ["--expires", "2h"], "cannot be read"],
    ["with a derived key that was cut", "sk-dk1-AAAA", ["--usd", "1"], "cannot be read"],
  ])("refuses to derive %s", async (_, input, args, message) => {
    const { exitCode, out, err } = await derive(input, ...args);
    expect(exitCode).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(message);
  });
});
