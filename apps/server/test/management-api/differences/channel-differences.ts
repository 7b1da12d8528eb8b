import { toFullChannelInput } from "#domain/channels/channel-row.ts";
import { getChannel } from "#domain/channels/channels.ts";
import { type Difference, makeChannel, names } from "./difference.ts";

export const channelDifferences: readonly Difference[] = [
  {
    call: "keys of channels and tags",
    oneHub: "shown",
    here: '`key` is `""`, `KeyMap` is `{}`; an empty key in a write keeps the stored one',
    async check(audit) {
      const { ok, root, same, site } = audit;
      const tag = audit.named("secret");
      const { id } = await makeChannel(audit, tag, { tag });
      const stored = async () =>
        (await site.services.db.channelKey.findMany({ where: { channel_id: id } })).map(
          (key) => key.key_hash,
        );
      const before = await stored();
      same("number of keys", before.length, 1);
      const row = (await ok(root, "GET", `/channel/${id}`)).row;
      const pattern = (await ok(root, "GET", `/channel_tag/${tag}`)).row;
      same("keys", [row["key"], pattern["key"], pattern["KeyMap"]], ["", "", {}]);
      await ok(root, "PUT", "/channel/", row);
      await ok(root, "PUT", `/channel_tag/${tag}`, pattern);
      same("stored key", await stored(), before);
    },
  },
  {
    call: "`POST /api/channel/` with several keys",
    oneHub: "no data",
    here: "the first channel; the message contains their number",
    async check(audit) {
      const { ok, root, same } = audit;
      const name = audit.named("several");
      const body = { type: 1, name, key: "sk-a\nsk-b", models: "gpt-4o", group: "default" };
      const { row, json } = await ok(root, "POST", "/channel/", body);
      same("channel", [row["name"], /2/.test(String(json["message"]))], [name, true]);
    },
  },
  {
    call: "a channel without a name, key, models or group, or with `weight` 0",
    oneHub: "accepted; without a group: `default`",
    here: "refused",
    async check(audit) {
      const { refused, root } = audit;
      const whole = { type: 1, name: audit.named("whole"), key: "sk-a", models: "gpt-4o", group: "default" };
      for (const part of ["name", "key", "models", "group"])
        await refused(root, "POST", "/channel/", { ...whole, [part]: "" });
      await refused(root, "POST", "/channel/", { ...whole, weight: 0 });
    },
  },
  {
    call: "`base_url` or `proxy` of a channel",
    oneHub: "any",
    here: "the key is required again when it changes, except from root",
    async check(audit) {
      const { ok, refused, root } = audit;
      const { id } = await makeChannel(audit, audit.named("address"));
      const admin = await audit.callerOf(await audit.site.makeUser({ role: 10 }));
      const moved = { id, base_url: "https://other.example" };
      await refused(admin, "PUT", "/channel/", moved);
      await ok(admin, "PUT", "/channel/", { ...moved, key: "sk-b" });
      await ok(root, "PUT", "/channel/", { id, base_url: "" });
    },
  },
  {
    call: "fields that a call does not change, such as `used_quota`",
    oneHub: "ignored or stored",
    here: "ignored and named in `message`, when they differ",
    async check(audit) {
      const { id } = await makeChannel(audit, audit.named("measured"));
      await names(audit, "PUT", "/channel/", { id, used_quota: 9, balance: 3 }, ["used_quota", "balance"]);
      const { row } = await audit.ok(audit.root, "GET", `/channel/${id}`);
      audit.same("channel", [row["used_quota"], row["balance"]], [0, 0]);
    },
  },
  {
    call: "secrets in `model_headers`, `proxy` and `custom_parameter`",
    oneHub: "shown",
    here: "masked; a masked value in a write keeps the stored one",
    async check(audit) {
      const { ok, root, same, site } = audit;
      const secret = "a-secret-of-a-header-1234567890";
      const headers = { authorization: `Bearer ${secret}` };
      const { id } = await makeChannel(audit, audit.named("masked"), {
        model_headers: JSON.stringify(headers),
      });
      const answer = await root("GET", `/channel/${id}`);
      same("secret in the response", answer.text.includes(secret), false);
      await ok(root, "PUT", "/channel/", answer.json["data"]);
      const stored = await getChannel(site.services.db, id);
      same("stored headers", toFullChannelInput(site.services.secrets, stored).model_headers, headers);
    },
  },
  {
    call: "`host`, `connection`, `content-length` and similar headers in `model_headers`",
    oneHub: "stored, and ignored or sent",
    here: "refused: the gateway sets them itself",
    async check(audit) {
      const { ok, refused, root } = audit;
      const { id } = await makeChannel(audit, audit.named("headers"), {});
      const row = (await ok(root, "GET", `/channel/${id}`)).data as object;
      const changed = { ...row, model_headers: JSON.stringify({ Host: "other.example" }) };
      await refused(root, "PUT", "/channel/", changed);
    },
  },
  {
    call: "`GET /api/channel/`",
    oneHub: "one row per tag",
    here: "all rows; `filter_tag=2` returns one per tag",
    async check(audit) {
      const { ok, root, page, same } = audit;
      const tag = audit.named("folded");
      await makeChannel(audit, tag, { tag, key: "sk-a\nsk-b" });
      const count = async (more: string) =>
        page("channels", (await ok(root, "GET", `/channel/?tag=${tag}${more}`)).data).length;
      same("rows", [await count(""), await count("&filter_tag=2")], [2, 1]);
    },
  },
];
