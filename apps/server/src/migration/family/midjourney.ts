import type { ReadContext } from "#migration/products/product.ts";
import type { TaskRecord } from "#migration/records.ts";
import { int, milliseconds, parseJson, record, text } from "#migration/row.ts";
import { taskOf } from "./tasks.ts";

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
    yield taskOf(row, {
      taskId,
      platform: "midjourney",
      tokenId: int(row, "token_id"),
      properties: record(parseJson(text(row, "properties"))),
      data: texts,
      createdAt: "submit_time",
      time: milliseconds,
    });
  }
}
