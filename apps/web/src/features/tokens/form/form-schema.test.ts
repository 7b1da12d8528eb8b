import { TokenChange, TokenInput, type TokenRow } from "@gateway/shared/accounts/token";
import { expect, it } from "vitest";
import { hasMcpLimits, toInput, toolSuggestions, tokenFormSchema, toTokenFormValues } from "./form-schema.ts";

const limits = { bundles: ["work"], allow: ["github__*"], deny: [] };
const rowWith = (setting: object) =>
  ({ name: "key", setting: TokenInput.shape.setting.parse(setting) }) as unknown as TokenRow;

it("the limits of a token for MCP are edited, and removed by empty lists", () => {
  const values = toTokenFormValues(rowWith({ mcp: limits }));
  expect(values.setting.mcp).toEqual(limits);
  expect(hasMcpLimits(values.setting)).toBe(true);
  values.setting.mcp = { bundles: [], allow: [], deny: [] };
  expect(hasMcpLimits(values.setting)).toBe(false);
  // Absent limits would stay as they are stored.
  const sent = JSON.parse(JSON.stringify(toInput(values))) as object;
  expect(TokenChange.parse(sent).setting?.mcp).toEqual({ bundles: [], allow: [], deny: [] });
});

it("a token without limits for MCP has empty lists in the form", () => {
  expect(toTokenFormValues(rowWith({})).setting.mcp).toEqual({ bundles: [], allow: [], deny: [] });
});

it("a pattern of tools with other characters is an error at its field", () => {
  const values = toTokenFormValues(rowWith({ mcp: { ...limits, deny: ["*"] } }));
  values.setting.mcp = { ...limits, deny: ["git hub"] };
  const { error } = tokenFormSchema().safeParse(values);
  expect(error?.issues.map(({ path }) => path.join("."))).toEqual(["setting.mcp.deny.0"]);
});

it("suggested tools are those of the servers of the chosen bundles", () => {
  const bundles = [
    { name: "work", description: "", servers: ["github", "jira"] },
    { name: "home", description: "", servers: ["jira", "mail"] },
  ];
  expect(toolSuggestions(bundles, [])).toEqual(["github__*", "jira__*", "mail__*"]);
  expect(toolSuggestions(bundles, ["home"])).toEqual(["jira__*", "mail__*"]);
});
