import type { MenuRecord } from "#migration/records.ts";
import { inBatches, type WriteContext } from "./write-context.ts";

export async function writeMenus(context: WriteContext, records: AsyncIterable<MenuRecord>) {
  const { tx, book } = context;
  await inBatches(context, "telegram_menus", records, async (batch) => {
    const { count } = await tx.telegramMenu.createMany({
      data: batch.map((menu) => ({
        command: menu.command,
        description: menu.description,
        parse_mode: menu.parseMode,
        reply_message: menu.reply,
      })),
      skipDuplicates: true,
    });
    book.imported("telegram_menus", count);
  });
}
