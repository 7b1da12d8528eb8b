import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Usage } from "#dialects/ir.ts";
import { formatDecimal, parseDecimal } from "./decimal.ts";
import { computeBill, findPrice, reservedTier, type ActivePrice, recompute, tableOf } from "./pricing.ts";

function price(over: Partial<ActivePrice> = {}): ActivePrice {
  return {
    versionId: 1,
    model: "m",
    type: "tokens",
    input: "1",
    output: "1",
    extras: {},
    tiers: [],
    ...over,
  };
}

interface Row {
  name: string;
  price: Partial<ActivePrice>;
  usage: Usage;
  group?: string;
  calls?: number;
  exact: string;
  points: bigint;
}

/** Specification of the price calculation, row by row. */
const rows: Row[] = [
  {
    name: "1,000 tokens at ratio 1 cost 1,000 points, which are $0.002",
    price: {},
    usage: { input: 1000, output: 0 },
    exact: "1000",
    points: 1000n,
  },
  {
    name: "input and output have ratios of their own",
    price: { input: "1.25", output: "5" },
    usage: { input: 100, output: 10 },
    exact: "175",
    points: 175n,
  },
  {
    name: "the sum is rounded up once, not each line",
    price: { input: "0.3", output: "0.3" },
    usage: { input: 1, output: 1 },
    exact: "0.6",
    points: 1n,
  },
  {
    name: "a whole sum is not rounded",
    price: { input: "0.1", output: "0.2" },
    usage: { input: 10, output: 10 },
    exact: "3",
    points: 3n,
  },
  {
    name: "what is not free costs at least one point",
    price: { input: "0.0000000001", output: "0" },
    usage: { input: 1, output: 0 },
    exact: "0.0000000001",
    points: 1n,
  },
  {
    name: "a ratio of 0 is free",
    price: { input: "0", output: "0" },
    usage: { input: 1000, output: 1000 },
    exact: "0",
    points: 0n,
  },
  {
    name: "a group ratio of 0 is free",
    price: {},
    usage: { input: 1000, output: 1000 },
    group: "0",
    exact: "0",
    points: 0n,
  },
  { name: "no usage costs nothing", price: {}, usage: { input: 0, output: 0 }, exact: "0", points: 0n },
  {
    name: "the group's ratio multiplies everything",
    price: { input: "2", output: "3" },
    usage: { input: 10, output: 10, toolCalls: { "web-search": 1 } },
    group: "0.5",
    exact: "2525",
    points: 2525n,
  },
  {
    name: "a cached token costs what the price says, and is not counted as input as well",
    price: { input: "1.25", output: "5", extras: { cached_tokens: "0.5" } },
    usage: { input: 1000, output: 0, cacheRead: 800 },
    exact: "750",
    points: 750n,
  },
  {
    name: "a cached token costs like any other when the price does not say",
    price: {},
    usage: { input: 1000, output: 0, cacheRead: 800 },
    exact: "1000",
    points: 1000n,
  },
  {
    name: "a provider that bills cache writes: read 0.1, write 1.25, for an hour 2",
    price: { input: "1.5", output: "7.5" },
    usage: { input: 1000, output: 10, cacheRead: 500, cacheWrite5m: 200, cacheWrite1h: 100 },
    // 200 × 1.5 + 500 × 0.15 + 200 × 1.875 + 100 × 3 + 10 × 7.5
    exact: "1125",
    points: 1125n,
  },
  {
    name: "a price that names only cached_tokens means every cache read",
    price: { extras: { cached_tokens: "0.25" } },
    usage: { input: 100, output: 0, cacheRead: 100, cacheWrite5m: 0 },
    exact: "25",
    points: 25n,
  },
  {
    name: "a price that names only cached_read_tokens means every cache read",
    price: { extras: { cached_read_tokens: "0.5" } },
    usage: { input: 100, output: 0, cacheRead: 100 },
    exact: "50",
    points: 50n,
  },
  {
    name: "reasoning is part of the output",
    price: { output: "4" },
    usage: { input: 0, output: 100, reasoning: 80 },
    exact: "400",
    points: 400n,
  },
  {
    name: "reasoning may have a ratio of its own",
    price: { output: "0.3", extras: { reasoning_tokens: "5.833" } },
    usage: { input: 0, output: 100, reasoning: 80 },
    exact: "145.992",
    points: 146n,
  },
  {
    name: "audio weighs more on both sides",
    price: { input: "1.25", output: "5", extras: { input_audio_tokens: "16", output_audio_tokens: "8" } },
    usage: { input: 110, output: 110, audioInput: 10, audioOutput: 10 },
    exact: "1225",
    points: 1225n,
  },
  {
    name: "images weigh more on both sides",
    price: { input: "2.5", output: "5", extras: { input_image_tokens: "2", output_image_tokens: "4" } },
    usage: { input: 100, output: 100, imageInput: 100, imageOutput: 100 },
    exact: "2500",
    points: 2500n,
  },
  {
    name: "shares that overlap are cut: cached audio is cached, the total stays the total",
    price: { extras: { cached_tokens: "0.5", input_audio_tokens: "10" } },
    usage: { input: 1000, output: 0, cacheRead: 800, audioInput: 800 },
    // 800 cached, 200 audio, nothing left
    exact: "2400",
    points: 2400n,
  },
  {
    name: "shares beyond their total are cut to it",
    price: {},
    usage: { input: 10, output: 10, cacheRead: 1000, reasoning: 1000 },
    exact: "20",
    points: 20n,
  },
  {
    name: "a context tier holds above its threshold",
    price: { tiers: [{ above: 200_000, input: "2", output: "1.5" }] },
    usage: { input: 200_001, output: 10 },
    exact: "400017",
    points: 400_017n,
  },
  {
    name: "a context tier does not hold at its threshold",
    price: { tiers: [{ above: 200_000, input: "2", output: "1.5" }] },
    usage: { input: 200_000, output: 10 },
    exact: "200010",
    points: 200_010n,
  },
  {
    name: "of many tiers the highest that is passed holds, in whatever order they stand",
    price: {
      tiers: [
        { above: 256, input: "3", output: "3" },
        { above: 32, input: "1", output: "1" },
        { above: 128, input: "2", output: "2" },
      ],
    },
    usage: { input: 200, output: 1 },
    exact: "402",
    points: 402n,
  },
  {
    name: "a tool call costs dollars: the default of every provider",
    price: { input: "0", output: "0" },
    usage: { input: 5, output: 5, toolCalls: { "web-search": 2, "file-search": 1, "code-execution": 1 } },
    exact: "26250",
    points: 26_250n,
  },
  {
    name: "a tool call costs dollars: the price's own",
    price: { input: "0", output: "0", extras: { "tool:web-search": "0.025" } },
    usage: { input: 0, output: 0, toolCalls: { "web-search": 2, unheard: 3 } },
    exact: "25000",
    points: 25_000n,
  },
  {
    name: "a price per call counts calls, not tokens: 50 is $0.1",
    price: { type: "times", input: "50", output: "9" },
    usage: { input: 1000, output: 1000 },
    exact: "50000",
    points: 50_000n,
  },
  {
    name: "a price per call is paid for every result",
    price: { type: "times", input: "0.05" },
    usage: { input: 0, output: 0 },
    calls: 10,
    exact: "500",
    points: 500n,
  },
  {
    name: "the service tier multiplies every token, not the tools",
    price: { input: "1", output: "4", extras: { cached_tokens: "0.1", "tier:flex": "0.5" } },
    usage: { input: 100, output: 10, cacheRead: 60, toolCalls: { "web-search": 1 }, tier: "flex" },
    exact: "5043",
    points: 5043n,
  },
  {
    name: "a service tier without a multiplier costs the plain price",
    price: { extras: { "tier:priority": "2" } },
    usage: { input: 100, output: 0, tier: "flex" },
    exact: "100",
    points: 100n,
  },
  {
    name: "the ratios of a context tier are multiplied as well",
    price: { extras: { "tier:priority": "2.5" }, tiers: [{ above: 50, input: "3", output: "1" }] },
    usage: { input: 100, output: 0, tier: "priority" },
    exact: "750",
    points: 750n,
  },
  {
    name: "a price per call has no service tiers",
    price: { type: "times", input: "2", extras: { "tier:priority": "2" } },
    usage: { input: 0, output: 0, tier: "priority" },
    exact: "2000",
    points: 2000n,
  },
];

describe("bill", () => {
  it.each(rows)("$name", ({ price: over, usage, group = "1", calls, exact, points }) => {
    const { points: found, bill } = computeBill(price(over), group, usage, calls);
    expect(bill.exact).toBe(exact);
    expect(found).toBe(points);
    expect(recompute(bill)).toEqual({ points, exact });
  });

  it("lists the lines that it adds up", () => {
    const { bill } = computeBill(
      price({ input: "1.25", output: "5", extras: { cached_tokens: "0.1" } }),
      "0.8",
      { input: 100, output: 20, cacheRead: 60, reasoning: 8, toolCalls: { "web-search": 1 } },
    );
    expect(bill).toEqual({
      price_type: "tokens",
      group_ratio: "0.8",
      lines: [
        { kind: "input", amount: 40, ratio: "1.25" },
        { kind: "cached_tokens", amount: 60, ratio: "0.125" },
        { kind: "output", amount: 12, ratio: "5" },
        { kind: "reasoning_tokens", amount: 8, ratio: "5" },
        { kind: "tool:web-search", amount: 1, ratio: "5000" },
      ],
      exact: "4126",
    });
  });

  it.each<[string, Usage]>([
    ["negative", { input: -1, output: 0 }],
    ["fractional", { input: 1.5, output: 0 }],
    ["not a number", { input: Number.NaN, output: 0 }],
    ["absurdly large", { input: 0, output: 1_000_000_001 }],
    ["negative in a share", { input: 1, output: 1, cacheRead: -5 }],
    ["negative in its tools", { input: 1, output: 1, toolCalls: { "web-search": -1 } }],
  ])("is refused when the usage is %s", (_, usage) => {
    expect(() => computeBill(price(), "1", usage)).toThrow(/invalid usage/);
  });

  it.each([-1, 0.5, Number.NaN, 1e9])("is refused for %d results", (calls) => {
    expect(() => computeBill(price({ type: "times" }), "1", { input: 0, output: 0 }, calls)).toThrow();
  });

  const decimal = fc
    .tuple(fc.nat(1_000_000), fc.nat(9_999_999_999))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(10, "0")}`);
  const count = fc.oneof(fc.nat(100), fc.nat(1_000_000_000));
  const optional = fc.option(count, { nil: undefined });
  const usages: fc.Arbitrary<Usage> = fc.record({
    input: count,
    output: count,
    cacheRead: optional,
    cacheWrite5m: optional,
    cacheWrite1h: optional,
    reasoning: optional,
    audioInput: optional,
    audioOutput: optional,
    imageInput: optional,
    imageOutput: optional,
    toolCalls: fc.option(fc.dictionary(fc.constantFrom("web-search", "other"), fc.nat(1000)), {
      nil: undefined,
    }),
  });
  const prices = fc
    .record({
      input: decimal,
      output: decimal,
      extras: fc.dictionary(
        fc.constantFrom("cached_tokens", "cached_write_tokens", "reasoning_tokens", "tool:other"),
        decimal,
      ),
      tiers: fc.array(
        fc.record({ above: fc.integer({ min: 1, max: 1_000_000 }), input: decimal, output: decimal }),
        {
          maxLength: 3,
        },
      ),
    })
    .map(price);

  it("can be recomputed exactly from its lines", () => {
    fc.assert(
      fc.property(prices, decimal, usages, (any, group, usage) => {
        const { points, bill } = computeBill(any, group, usage);
        expect(recompute(JSON.parse(JSON.stringify(bill)))).toEqual({ points, exact: bill.exact });
        expect(points).toBeGreaterThanOrEqual(0n);
        expect(points === 0n).toBe(bill.exact === "0");
      }),
    );
  });

  it("can be recomputed exactly in a service tier with all its decimals", () => {
    const times = fc
      .nat(99_999)
      .map((value) => `${Math.floor(value / 1e4)}.${String(value % 1e4).padStart(4, "0")}`);
    fc.assert(
      fc.property(prices, decimal, usages, times, (any, group, usage, ratio) => {
        const tiered = { ...any, extras: { ...any.extras, "tier:flex": ratio } };
        const { points, bill } = computeBill(tiered, group, { ...usage, tier: "flex" });
        expect(bill.service_tier).toEqual({ name: "flex", ratio });
        expect(recompute(JSON.parse(JSON.stringify(bill)))).toEqual({ points, exact: bill.exact });
        // For tokens alone, the bill is exactly the plain sum times the tier.
        const tokens = { ...usage, toolCalls: undefined };
        const plain = parseExact(computeBill(any, group, tokens).bill.exact);
        const inTier = parseExact(computeBill(tiered, group, { ...tokens, tier: "flex" }).bill.exact);
        expect(inTier * 10_000n).toBe(plain * BigInt(ratio.replace(".", "")));
      }),
    );
  });

  it("counts every token of the totals once", () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const { bill } = computeBill(price(), "1", usage);
        const tokens = bill.lines.filter((line) => !line.kind.startsWith("tool:"));
        expect(tokens.reduce((sum, line) => sum + line.amount, 0)).toBe(usage.input + usage.output);
      }),
    );
  });

  it("does not fall when the group ratio rises", () => {
    fc.assert(
      fc.property(prices, usages, decimal, decimal, (any, usage, a, b) => {
        const [low, high] = parseDecimal(a) <= parseDecimal(b) ? [a, b] : [b, a];
        expect(computeBill(any, low, usage).points <= computeBill(any, high, usage).points).toBe(true);
      }),
    );
  });
});

/** Parses an exact sum as an integer of 10⁻³⁶. */
function parseExact(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(36, "0"));
}

describe("tier that a call reserves", () => {
  const tiered = price({ extras: { "tier:flex": "0.5", "tier:priority": "2", "tier:ultrafast": "6" } });
  it.each([
    ["priority", "priority"],
    ["flex", undefined],
    ["default", undefined],
    ["auto", "ultrafast"],
    [undefined, undefined],
    ["unheard-of", undefined],
  ])("is never below the plain price for a requested tier %s", (requested, reserved) => {
    expect(reservedTier(tiered, requested)).toBe(reserved);
  });
});

describe("price lookup", () => {
  const table = tableOf([
    price({ model: "gpt-5*", versionId: 1 }),
    price({ model: "gpt-5-mini*", versionId: 2 }),
    price({ model: "gpt-5", versionId: 3 }),
    price({ model: "*", versionId: 4 }),
  ]);

  it.each([
    ["gpt-5", 3],
    ["gpt-5-2025-08-07", 1],
    ["gpt-5-mini", 2],
    ["gpt-5-mini-2025", 2],
    ["anything", 4],
  ])("finds the exact name for %s, or else the longest wildcard", (model, version) => {
    expect(findPrice(table, model)?.versionId).toBe(version);
  });

  it("does not take a wildcard for a name that only differs in letter case", () => {
    const dear = tableOf([
      price({ model: "Gpt-Pro", versionId: 1 }),
      price({ model: "gpt-*", versionId: 2 }),
      price({ model: "GPT-*", versionId: 3 }),
      price({ model: "claude-*", versionId: 4 }),
      price({ model: "*", versionId: 5 }),
    ]);
    const found = ["gpt-pro", "GPT-PRO", "gpt-x", "GPT-x", "CLAUDE-x", "claude-\u017Fonnet", "other"];
    expect(found.map((model) => findPrice(dear, model)?.versionId)).toEqual([1, 1, 2, 3, 4, 4, 5]);
  });

  it("returns undefined without a match", () => {
    expect(findPrice(tableOf([price({ model: "a*" })]), "b")).toBeUndefined();
  });
});

describe("decimal", () => {
  it.each(["", "-1", "+1", "1e3", "1,5", ".5", "1.", "0x1", " 1", "1.0000000000001", "Infinity"])(
    "rejects %j",
    (text) => {
      expect(() => parseDecimal(text)).toThrow(RangeError);
    },
  );

  it("is unchanged after formatting and parsing", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 26n), (value) => {
        expect(parseDecimal(formatDecimal(value, 12))).toBe(value);
      }),
    );
  });
});
