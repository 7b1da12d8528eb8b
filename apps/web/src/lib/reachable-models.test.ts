import { TokenInput } from "@gateway/shared/accounts/token";
import { expect, it } from "vitest";
import { modelsOfToken } from "./reachable-models.ts";

const model = (...groups: string[]) => ({ groups, owned_by: "", price: null, info: null, rank: null });
const models = { "b-large": model("default"), "a-mini": model("default", "vip"), "a-max": model("vip") };
const namesOf = (found: object) => Object.keys(found).sort();
const token = (more: object) => TokenInput.parse({ name: "t", ...more });

it("uses the account's group when the token has none", () => {
  expect(namesOf(modelsOfToken(models, token({}), "default"))).toEqual(["a-mini", "b-large"]);
});

it("adds the models of the backup group", () => {
  const both = modelsOfToken(models, token({ group: "default", backup_group: "vip" }), "x");
  expect(namesOf(both)).toHaveLength(3);
});

it("is limited to the token's own list, including wildcards", () => {
  const setting = { limits: { limit_model_setting: { enabled: true, models: ["a-*", "gone"] } } };
  expect(namesOf(modelsOfToken(models, token({ group: "vip", setting }), "default"))).toEqual([
    "a-max",
    "a-mini",
  ]);
});
