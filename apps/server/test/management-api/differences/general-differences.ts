import { type Difference, makeChannel, makeUser } from "./difference.ts";

export const generalDifferences: readonly Difference[] = [
  {
    call: "every PUT",
    oneHub: "some reset what they leave out",
    here: "what is left out stays",
    async check(audit) {
      const { ok, root, user, same } = audit;
      const { id } = await makeChannel(audit, audit.named("partial"), {
        priority: 4,
        tag: "t",
        test_model: "gpt-4o",
      });
      const { row } = await ok(root, "PUT", "/channel/", { id, models: "o3" });
      same(
        "channel",
        [row["models"], row["priority"], row["tag"], row["test_model"]],
        ["o3", 4, "t", "gpt-4o"],
      );
      const token = { name: audit.named("partial"), remain_quota: 9, group: "default" };
      const made = (await ok(user, "POST", "/token/", token)).row;
      const changed = (await ok(user, "PUT", "/token/", { id: made.id, name: "renamed" })).row;
      same(
        "token",
        [changed["remain_quota"], changed["unlimited_quota"], changed["group"]],
        [9, false, "default"],
      );
    },
  },
  {
    call: "a group that does not exist",
    oneHub: "accepted",
    here: "refused",
    async check(audit) {
      const { refused, root, user } = audit;
      const { id } = await makeUser(audit);
      await refused(root, "PUT", "/user/", { id, group: "no-such-group" });
      await refused(user, "POST", "/token/", { name: "x", group: "no-such-group" });
    },
  },
  {
    call: "unknown actions, settings, ids in a PUT",
    oneHub: "success without effect",
    here: "refused",
    async check(audit) {
      const { refused, root } = audit;
      const { username } = await makeUser(audit);
      await refused(root, "POST", "/user/manage", { username, action: "dance" });
      await refused(root, "POST", "/user/manage", { action: "disable" });
      await refused(root, "PUT", "/option/", { key: "NoSuchOption", value: "1" });
      await refused(root, "PUT", "/channel/", { id: 999_999, name: "x" });
      await refused(root, "PUT", "/user/", { id: 999_999, display_name: "x" });
    },
  },
];
