import { TelegramMenuInput } from "@gateway/shared/site/telegram";
import { midjourneyTasks } from "#migration/family/midjourney.ts";
import { taskOf } from "#migration/family/tasks.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { MenuRecord, ModelInfoRecord, ModelOwnerRecord, TaskRecord } from "#migration/records.ts";
import { truncateText, int, json, list, parseJson, record, seconds, text } from "#migration/row.ts";

const platforms = new Set(["suno", "kling"]);

export async function* oneHubTasks(context: ReadContext): AsyncGenerator<TaskRecord> {
  const { source, book } = context;
  if (source.columns.has("tasks"))
    for await (const row of source.rows({ table: "tasks", orderBy: "id" })) {
      book.read("tasks");
      const taskId = text(row, "task_id").trim();
      const platform = text(row, "platform").trim();
      if (taskId === "" || !platforms.has(platform)) {
        book.skip("tasks", "task_platform", `task ${int(row, "id")}`);
        continue;
      }
      yield taskOf(row, {
        taskId,
        platform,
        tokenId: int(row, "token_id"),
        properties: record(json(row, "properties")),
        data: record(json(row, "data")),
        notifyHook: truncateText(text(row, "notify_hook"), 2_000),
        createdAt: "created_at",
        time: seconds,
      });
    }
  yield* midjourneyTasks(context);
}

export async function* oneHubModelOwners({ source, book }: ReadContext): AsyncGenerator<ModelOwnerRecord> {
  if (!source.columns.has("model_owned_by")) return;
  for await (const row of source.rows({ table: "model_owned_by", orderBy: "id" })) {
    book.read("model_owners");
    yield { id: int(row, "id"), name: truncateText(text(row, "name"), 100), icon: text(row, "icon") };
  }
}

export async function* oneHubModelInfo({ source, book }: ReadContext): AsyncGenerator<ModelInfoRecord> {
  if (!source.columns.has("model_info")) return;
  for await (const row of source.rows({ table: "model_info", orderBy: "id" })) {
    book.read("model_info");
    const texts = (name: string) => {
      const value = parseJson(text(row, name));
      return Array.isArray(value) ? value.filter((each) => typeof each === "string") : list(text(row, name));
    };
    yield {
      model: truncateText(text(row, "model").trim(), 160),
      name: truncateText(text(row, "name"), 160),
      description: text(row, "description"),
      contextLength: Math.max(0, int(row, "context_length")),
      maxTokens: Math.max(0, int(row, "max_tokens")),
      inputModalities: texts("input_modalities"),
      outputModalities: texts("output_modalities"),
      tags: texts("tags"),
      supportUrl: texts("support_url"),
    };
  }
}

export async function* oneHubMenus({ source, book }: ReadContext): AsyncGenerator<MenuRecord> {
  if (!source.columns.has("telegram_menus")) return;
  for await (const row of source.rows({ table: "telegram_menus", orderBy: "id" })) {
    book.read("telegram_menus");
    const menu = TelegramMenuInput.safeParse({
      command: text(row, "command").trim().replace(/^\//, ""),
      description: text(row, "description"),
      parse_mode: text(row, "parse_mode"),
      reply_message: text(row, "reply_message"),
    });
    if (menu.success)
      yield {
        command: menu.data.command,
        description: menu.data.description,
        parseMode: menu.data.parse_mode,
        reply: menu.data.reply_message,
      };
    else book.skip("telegram_menus", "menu_unusable", text(row, "command"));
  }
}
