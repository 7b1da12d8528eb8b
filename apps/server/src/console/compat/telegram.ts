import { TelegramMenuPage, TelegramMenuRow } from "@gateway/shared/site/telegram";
import { type CompatRoute, formatWith } from "./plugin/route.ts";

/** Menus of the Telegram bot. One Hub writes the message type HTML in small letters. */
const older = <Menu extends TelegramMenuRow>(menu: Menu): Menu => ({
  ...menu,
  parse_mode: menu.parse_mode === "HTML" ? "html" : menu.parse_mode,
});

const one: CompatRoute = { answer: formatWith(TelegramMenuRow, TelegramMenuRow, older) };

export const telegramCompat: Record<string, CompatRoute> = {
  "GET /option/telegram": {
    answer: formatWith(TelegramMenuPage, TelegramMenuPage, (page) => ({
      ...page,
      data: page.data.map(older),
    })),
  },
  "GET /option/telegram/:id": one,
  "POST /option/telegram": one,
};
