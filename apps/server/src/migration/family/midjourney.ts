import type { ReadContext } from "#migration/products/product.ts";
import type { TaskRecord } from "#migration/records.ts";
import { truncateText, int, milliseconds, parseJson, points, record, text } from "#migration/row.ts";

const table = "midjourneys";

/** Pictures of a Midjourney proxy; all products keep them in the same table. */
export async function* midjourneyTasks({ source, book }: ReadContext): AsyncGenerator<TaskRecord> {
  if (!source.columns.has(table)) return;
  for await (const row of source.rows({ table, orderBy: "id" })) {
    book.read("tasks");
    const taskId = text(row, "mj_id").trim();
    if (taskId === "") {
      book.skip("tasks", "task_platform", `picture ${int(row, "id")}`);
      continue;
    }
    const texts = Object.fromEntries(
      ["prompt", "prompt_en", "description", "state", "image_url", "buttons"]
        .map((name) => [name, text(row, name)] as const)
        .filter(([, value]) => value !== ""),
    );
    yield {
      taskId,
      platform: "midjourney",
      action: truncateText(text(row, "action"), 40),
      status: text(row, "status") || "NOT_START",
      userId: int(row, "user_id"),
      tokenId: int(row, "token_id"),
      channelId: int(row, "channel_id"),
      quota: points(row, "quota"),
      progress: Number(/^\d{1,3}/.exec(text(row, "progress"))?.[0] ?? 0),
      failReason: truncateText(text(row, "fail_reason"), 2_000),
      submitTime: milliseconds(row, "submit_time"),
      startTime: milliseconds(row, "start_time"),
      finishTime: milliseconds(row, "finish_time"),
      createdAt: milliseconds(row, "submit_time"),
      properties: record(parseJson(text(row, "properties"))),
      data: texts,
      notifyHook: "",
    };
  }
}
