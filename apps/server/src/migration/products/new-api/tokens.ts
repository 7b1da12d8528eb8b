import { objectOption } from "#migration/family/go-options.ts";
import { limitsOf, readTokens, restriction } from "#migration/family/tokens.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { TokenRecord } from "#migration/records.ts";
import { flag, int, list, text } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";
import { autoGroups, usableGroups } from "./groups.ts";

const ordinary = "default";
const auto = "auto";

export async function* newApiTokens(context: ReadContext): AsyncGenerator<TokenRecord> {
  const groups = await groupRules(context);
  yield* readTokens(context, {
    accepts: (key) => !key.includes("-"),
    setting: (row) =>
      limitsOf(
        flag(row, "model_limits_enabled") ? list(text(row, "model_limits")) : undefined,
        restriction(text(row, "allow_ips"), /[\n,]/),
      ),
    groups,
    billingTag: () => "",
  });
}

/** Most accounts are in the ordinary group: only the others are kept in memory. */
async function unusualGroups({ source }: ReadContext): Promise<ReadonlyMap<number, string>> {
  const groups = new Map<number, string>();
  for await (const row of source.rows({ table: "users" })) {
    const group = text(row, "group").trim();
    if (group !== ordinary) groups.set(int(row, "id"), group);
  }
  return groups;
}

async function groupRules(context: ReadContext) {
  const owners = await unusualGroups(context);
  const usable = usableGroups(context);
  const order = autoGroups(context);
  const defined = context.options.has("GroupRatio")
    ? new Set(Object.keys(objectOption(context, "GroupRatio")))
    : undefined;

  return (row: SourceRow) => {
    const group = text(row, "group").trim();
    if (group === "") return { group, backupGroup: "" };
    const allowed = usable(owners.get(int(row, "user_id")) ?? ordinary);
    if (group !== auto)
      return {
        group,
        backupGroup: "",
        isRefused: !allowed.has(group) || defined?.has(group) === false,
      };
    // It tries a list of groups; here a key has two.
    const [first = "", second = "", ...more] = order.filter((each) => allowed.has(each));
    const label = `token ${int(row, "id")}`;
    context.book.attention(more.length > 0 ? "token_auto_groups" : "token_auto_group", label);
    return { group: first, backupGroup: second, isRefused: first === "" };
  };
}
