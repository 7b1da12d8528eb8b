import type { UserGroupMap } from "@gateway/shared/channels/group";
import type { AvailableModels } from "@gateway/shared/models/model";
import { describe, expect, it } from "vitest";
import { ownersOf, perMillion, ratiosOf, sampleBill } from "./home-prices.ts";

const model = (owner: string, input: number, output: number, groups = ["default"], type = "tokens") =>
  ({ owned_by: owner, groups, price: { type, input, output } }) as AvailableModels[string];
const groups = { default: { ratio: 1 }, cheap: { ratio: 0.5 } } as unknown as UserGroupMap;

describe("the prices of the home page", () => {
  it("are those of the cheapest group of a model", () => {
    expect(ratiosOf(model("A", 2, 8, ["default", "cheap"]), groups)).toEqual({ input: 1, output: 4 });
    expect(ratiosOf(model("A", 2, 8, ["unknown"]), groups)).toEqual({ input: 2, output: 8 });
    expect(ratiosOf(model("A", 2, 8, ["default"], "times"), groups)).toBeUndefined();
  });

  it("start at the cheapest model of an owner that is not free", () => {
    const models = {
      a: model("A", 1, 1),
      b: model("A", 0.075, 0.3),
      free: model("A", 0, 0),
      c: model("C", 5, 5, ["default"], "times"),
    };
    expect(ownersOf(models, groups).map(({ name, count, from }) => [name, count, from])).toEqual([
      ["A", 3, 0.075],
      ["C", 1, undefined],
    ]);
    expect(perMillion(0.075)).toBe("$0.15");
  });

  it("add up in the bill of the example, rounded up to a whole point", () => {
    const bill = sampleBill({ input: 0.6, output: 2.4 });
    expect(bill.lines.map(({ usd }) => usd)).toEqual(["$0.002400", "$0.002400"]);
    expect(bill.total).toBe("$0.004800");
    expect(sampleBill({ input: 0.0001, output: 0 }).total).toBe("$0.000002");
  });
});
