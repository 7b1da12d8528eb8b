import type { Audit } from "./audit.ts";
import { modelInfo, owner, price, redemption } from "./shapes.ts";

async function redemptions(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, page, same } = audit;
  const name = audit.named("r");
  const keys = (await ok(root, "POST", "/redemption/", { name, quota: 300, count: 2 })).data as string[];
  same(
    "keys",
    keys.map((key) => /^[0-9a-f]{32}$/.test(key)),
    [true, true],
  );
  const list = page("codes", (await ok(root, "GET", `/redemption/?keyword=${name}&page=1&size=10`)).data);
  rows("codes", list, redemption);
  for (const order of ["id", "name", "status", "quota", "created_time", "-redeemed_time"])
    await ok(root, "GET", `/redemption/?order=${order}`);
  const [code] = list;
  const id = code?.id;
  rows("code", (await ok(root, "GET", `/redemption/${id}`)).data, redemption);
  const changed = (await ok(root, "PUT", "/redemption/", { id, name: "rr", quota: 301 })).row;
  rows("PUT of a code", changed, redemption);
  same("PUT of a code", [changed["name"], changed["quota"]], ["rr", 301]);
  const off = (await ok(root, "PUT", "/redemption/?status_only=true", { id, status: 2 })).row;
  same("disabled code", [off["status"], off["quota"]], [2, 301]);
  await refused(user, "POST", "/user/topup", { key: code?.["key"] });
  const before = (await ok(user, "GET", "/user/self")).row["quota"];
  const other = keys.find((key) => key !== code?.["key"]);
  same("top-up", (await ok(user, "POST", "/user/topup", { key: other })).data, 300);
  same("balance", (await ok(user, "GET", "/user/self")).row["quota"], Number(before) + 300);
  await refused(user, "POST", "/user/topup", { key: other });
  await refused(user, "POST", "/user/topup", { key: "nothing" });
  await refused(user, "POST", "/user/topup", {});
  await refused(root, "POST", "/redemption/", { name: "", quota: 1, count: 1 });
  await refused(root, "POST", "/redemption/", { name: "x", quota: 1, count: 101 });
  await ok(root, "DELETE", `/redemption/${id}`);
  await refused(root, "GET", `/redemption/${id}`);
  await refused(user, "GET", "/redemption/");
}

async function prices(audit: Audit): Promise<void> {
  const { ok, refused, root, rows, same } = audit;
  const [p, q, s, slash] = ["p", "q", "s", "a/b"].map(audit.named);
  const find = async (model: string | undefined) =>
    (await ok(root, "GET", "/prices?type=db")).list.find((row) => row["model"] === model);
  await ok(root, "POST", "/prices/single", { model: p, type: "tokens", channel_type: 0 });
  const full = { type: "tokens", channel_type: 1, input: 2.5, output: 10 };
  await refused(root, "POST", "/prices/single", { model: p, ...full });
  const locked = { model: p, ...full, locked: true, extra_ratios: { cached_tokens: 0.5 } };
  await ok(root, "PUT", `/prices/single/${p}`, locked);
  rows("price", await find(p), { ...price, extra_ratios: "object" });
  same("price", [(await find(p))?.["input"], (await find(p))?.["locked"]], [2.5, true]);
  const custom = { ...locked, channel_type: 8 };
  await ok(root, "PUT", `/prices/single/${p}`, custom);
  same("price of a provider without an owner", (await find(p))?.["channel_type"], 8);
  await ok(root, "POST", "/prices/single", { model: slash, ...full, type: "times", extra_ratios: null });
  const encoded = encodeURIComponent(String(slash));
  await ok(root, "PUT", `/prices/single/${encoded}`, { model: slash, ...full, type: "times", input: 3 });
  same("price of a name with a slash", (await find(slash))?.["input"], 3);
  for (const type of ["", "?type=default"])
    rows("prices", (await ok(root, "GET", `/prices${type}`)).list.slice(0, 3), price);
  same("old prices are a bare list", Array.isArray((await root("GET", "/prices?type=old")).json), true);
  rows("names", await ok(root, "GET", "/prices/model_list"), { data: "list" });
  rows("update service", await ok(root, "GET", "/prices/updateService"), { data: "text" });

  const several = { type: "tokens", channel_type: 1, input: 1, output: 2, locked: false };
  await ok(root, "POST", "/prices/multiple", {
    original_models: [],
    models: [p, q],
    price: { model: "", ...several },
  });
  same("prices of several", [(await find(p))?.["output"], (await find(q))?.["output"]], [2, 2]);
  const renamed = { original_models: [q], models: [p], price: { model: "x", ...several, extra_ratios: {} } };
  await ok(root, "POST", "/prices/multiple", renamed);
  same("model that is left out", await find(q), undefined);
  for (const mode of ["system", "add", "update", "overwrite"]) {
    const list = [
      { model: s, ...several },
      { model: "gpt-4o", ...several, input: 1.25, output: 5 },
    ];
    await ok(root, "POST", `/prices/sync?updateMode=${mode}`, list);
    rows(mode, await find(s), price);
  }
  await ok(root, "PUT", "/prices/multiple/delete", { models: [s] });
  await ok(root, "PUT", "/prices/multiple/delete", { models: [] });
  same("deleted price", await find(s), undefined);
  await ok(root, "POST", "/prices/single", { model: q, ...several });
  await ok(root, "DELETE", `/prices/single/${q}`);
  await refused(root, "DELETE", `/prices/single/${q}`);
}

async function ownersAndInfo(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, same, transport } = audit;
  const id = transport === "token" ? 2001 : 2002;
  await ok(root, "POST", "/model_ownedby/", { id, name: audit.named("o"), icon: "https://x.example/i.svg" });
  await refused(root, "POST", "/model_ownedby/", { id: 5, name: "o", icon: "" });
  await ok(root, "PUT", "/model_ownedby/", { id, name: audit.named("oo"), icon: "" });
  const found = (await ok(root, "GET", `/model_ownedby/${id}`)).row;
  rows("owner", found, owner);
  same("owner", found["name"], audit.named("oo"));
  rows("owners", (await ok(root, "GET", "/model_ownedby/")).data, owner);
  rows("map of owners", Object.values((await ok(root, "GET", "/ownedby")).row), owner);
  await ok(root, "DELETE", `/model_ownedby/${id}`);
  await refused(root, "DELETE", "/model_ownedby/1");

  const model = audit.named("i");
  const texts = {
    input_modalities: '["text"]',
    output_modalities: '["text"]',
    tags: '["a"]',
    support_url: "[]",
  };
  const info = { model, name: "I", description: "d", context_length: 1000, max_tokens: 100, ...texts };
  await ok(root, "POST", "/model_info/", info);
  const { list } = await ok(root, "GET", "/model_info/");
  rows("model info", list, modelInfo);
  const row = list.find((each) => each["model"] === model);
  await ok(root, "PUT", "/model_info/", { ...row, name: "J" });
  const changed = (await ok(root, "GET", `/model_info/${row?.id}`)).row;
  same("model info", [changed["name"], changed["tags"]], ["J", '["a"]']);
  await refused(root, "POST", "/model_info/", info);
  await ok(root, "DELETE", `/model_info/${row?.id}`);
  await refused(root, "GET", `/model_info/${row?.id}`);

  const offered = audit.named("offered");
  await ok(root, "POST", "/channel/", {
    type: 1,
    name: offered,
    key: "sk-o",
    models: offered,
    group: "default",
  });
  await ok(root, "POST", "/prices/single", { model: offered, type: "tokens", channel_type: 1 });
  const available = (await ok(user, "GET", "/available_model")).row;
  rows("available model", available[offered], { groups: "list", owned_by: "text", price: "object" });
  rows("its price", (available[offered] as Record<string, unknown>)["price"], price);
}

export const catalogChecks = {
  "redemption codes": redemptions,
  prices,
  "owners and information of models": ownersAndInfo,
};
