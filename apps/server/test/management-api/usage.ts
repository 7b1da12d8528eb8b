import type { Audit } from "./audit.ts";
import { log, midjourney, task, usageByChannel, userTotals } from "./shapes.ts";

const bill = {
  price_type: "tokens",
  group_ratio: "1",
  lines: [{ kind: "input", amount: 10, ratio: "2.5" }],
  exact: "25",
};

async function logs(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, page, same, account, now, transport, site } = audit;
  for (const [type, name] of [
    [2, "call"],
    [5, "failed"],
    [1, "top-up"],
  ] as const)
    await site.services.pool.query(
      `INSERT INTO request_logs (request_id, created_at, type, user_id, username, token_name, model_name, channel_id,
         "group", quota, first_byte_time, bill)
       VALUES ($1, to_timestamp($2), $3, $4, $5, 'tok', 'gpt-4o', 7, 'default', 25, 40, $6)`,
      [`${transport}-${name}`, now - 60, type, account.id, account.username, type === 2 ? bill : null],
    );
  const { username } = account;
  const list = page("log", (await ok(root, "GET", `/log/?username=${username}&log_type=2`)).data);
  rows("log", list, log);
  rows("cost of a call", list[0]?.["metadata"], {
    group_name: "text",
    group_ratio: "number",
    input_ratio: "number",
  });
  rows("channel of a call", list[0]?.["channel"], { id: "int", name: "text" });
  const all = page("log", (await ok(root, "GET", `/log/?username=${username}&page=1&size=100`)).data);
  same(
    "failed calls in the log",
    all.some((row) => row["type"] === 5),
    false,
  );
  rows("own log", page("own log", (await ok(user, "GET", "/log/self?page=1&size=10")).data), log);
  for (const query of [
    "log_type=1",
    `start_timestamp=${now - 100}&end_timestamp=${now}`,
    "model_name=gpt-4o",
    "token_name=tok",
    "channel_id=7",
    "source_ip=1.2.3.4",
    ...["created_at", "-channel_id", "user_id", "token_name", "model_name", "type", "source_ip"].map(
      (column) => `order=${column}`,
    ),
  ])
    page(query, (await ok(root, "GET", `/log/?${query}`)).data);
  const filter = `channel=7&model_name=gpt-4o&token_name=tok&username=${username}&start_timestamp=${now - 100}`;
  same("sum", (await ok(root, "GET", `/log/stat?${filter}`)).row["quota"], 25);
  same("own sum", (await ok(user, "GET", `/log/self/stat?${filter}`)).row["quota"], 25);
  same("page after the last", page("deep", (await ok(root, "GET", "/log/?page=5000&size=100")).data), []);
  await refused(root, "GET", "/log/?order=quota");
  rows("DELETE", await ok(root, "DELETE", "/log/?target_timestamp=1000"), { data: "int" });
  await refused(root, "DELETE", "/log/");
  await refused(user, "GET", "/log/");
}

async function statistics(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, same, account, rootAccount, now, transport, site } = audit;
  await site.services.pool.query(
    `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, quota, prompt_tokens,
       completion_tokens, request_time)
     VALUES ('2025-06-02 10:00Z', $1, 0, 7, $2, 'default', 3, 75, 30, 20, 900)`,
    [account.id, `counted-${transport}`],
  );
  const { row } = await ok(root, "GET", "/analytics/statistics");
  rows("statistics", row, {
    channel_statistics: "list",
    redemption_statistic: "list",
    order_statistics: "list",
  });
  const totals = {
    total_quota: "int",
    total_used_quota: "int",
    total_user: "int",
    total_inviter_user: "int",
  } as const;
  rows("statistics of users", row["user_statistics"], totals);
  const span = `start_timestamp=${Date.UTC(2025, 5, 1) / 1000}&end_timestamp=${Date.UTC(2025, 5, 30) / 1000}`;
  for (const group of ["model", "model_type", "channel", ""]) {
    const url = `/analytics/period?${span}&group_type=${group}&user_id=${account.id}`;
    const period = (await ok(root, "GET", url)).row;
    rows(`period by ${group}`, period["channel_statistics"], usageByChannel);
    const lists = {
      user_statistics: "list",
      redemption_statistics: "list",
      order_statistics: "list",
    } as const;
    rows("period", period, lists);
  }
  const users = (
    await ok(root, "GET", `/analytics/period?start_timestamp=${now - 86_400}&end_timestamp=${now + 60}`)
  ).row["user_statistics"];
  rows("period of users", users, { date: "day", user_count: "int", inviter_user_count: "int" });
  await ok(root, "GET", "/analytics/period?group_type=model");
  const days = "start_time=2025-06-01&end_time=2025-06-30";
  const names = `usernames=${account.username},${rootAccount.username},no-one`;
  const compared = await ok(root, "GET", `/analytics/multi_user_stats?${names}&${days}`);
  rows("several users", compared.data, userTotals);
  same(
    "users with calls",
    compared.list.map(({ username }) => username),
    [account.username],
  );
  const models = { username: "text", model_name: "text", request_count: "int" } as const;
  rows("models of several users", compared.json["model_usage"], models);
  await refused(root, "GET", "/analytics/multi_user_stats?usernames=a");
  await refused(root, "GET", "/analytics/multi_user_stats?usernames=a&start_time=x&end_time=y");
  const file = await root("GET", `/analytics/multi_user_stats/export?${names}&${days}`);
  const header = "Username,Request Count,Quota,Prompt Tokens,Completion Tokens,Request Time (ms)";
  same("CSV", file.text, `${header}\n${account.username},3,75,30,20,900\n`);
  await refused(root, "GET", "/analytics/multi_user_stats/export?usernames=a");
  await refused(user, "GET", "/analytics/statistics");
}

async function tasks(audit: Audit): Promise<void> {
  const { ok, refused, root, user, rows, page, same, account, rootAccount, now, site } = audit;
  const [song, picture] = [audit.named("t"), audit.named("m")];
  const common = {
    user_id: account.id,
    channel_id: 7,
    status: "SUCCESS",
    progress: 100,
    submit_time: new Date(),
  };
  const { db } = site.services;
  await db.task.create({
    data: {
      ...common,
      task_id: song,
      platform: "suno",
      action: "MUSIC",
      model: "suno",
      data: [{ id: "x" }],
      properties: {},
    },
  });
  const data = { buttons: [{ customId: "x" }], imageUrl: "https://x/y.png" };
  await db.task.create({
    data: {
      ...common,
      task_id: picture,
      platform: "midjourney",
      action: "IMAGINE",
      model: "mj_imagine",
      data,
      properties: {},
    },
  });
  rows("tasks", page("tasks", (await ok(root, "GET", `/task/?page=1&size=10&task_id=${song}`)).data), task);
  rows("own tasks", page("own tasks", (await ok(user, "GET", "/task/self?page=1&size=10")).data), task);
  const span = `start_timestamp=${now - 9}&end_timestamp=${now + 99}`;
  const orders = ["id", "created_at", "-submit_time", "finish_time", "channel_id", "user_id", "platform"];
  const filters = [
    "platform=suno",
    "channel_id=7",
    `user_id=${account.id}`,
    "action=MUSIC",
    "status=SUCCESS",
    span,
  ];
  for (const query of [...filters, ...orders.map((column) => `order=${column}`)])
    same(query, page(query, (await ok(root, "GET", `/task/?${query}`)).data).length > 0, true);
  same(
    "tasks of others",
    page("others", (await ok(root, "GET", `/task/?user_ids=${rootAccount.id}`)).data),
    [],
  );
  rows(
    "pictures",
    page("pictures", (await ok(root, "GET", `/mj/?page=1&size=10&mj_id=${picture}`)).data),
    midjourney,
  );
  rows(
    "own pictures",
    page("own pictures", (await ok(user, "GET", "/mj/self?page=1&size=10")).data),
    midjourney,
  );
  const milliseconds = `start_timestamp=${(now - 9) * 1000}&end_timestamp=${(now + 99) * 1000}`;
  const columns = "id user_id code action mj_id -submit_time start_time finish_time status channel_id".split(
    " ",
  );
  for (const query of ["channel_id=7", milliseconds, ...columns.map((column) => `order=${column}`)])
    same(query, page(query, (await ok(root, "GET", `/mj/?${query}`)).data).length > 0, true);
  for (const list of ["/task/", "/mj/"]) await refused(user, "GET", list);
}

export const usageChecks = { "the log": logs, statistics, "tasks and pictures": tasks };
