import { createHash } from "node:crypto";
import { siteInboxHas } from "#domain/inbox/entries.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { unpricedModels } from "#domain/overview/attention.ts";
import type { Job } from "./job.ts";

/** Notifies administrators of models without a price, once per set of models. */
export const watchPrices: Job = {
  name: "watch-prices",
  every: "*/10 * * * *",
  async run({ db, pool }) {
    const [unpriced] = await unpricedModels(pool, db);
    if (unpriced?.kind !== "unpriced") return;
    const { count, models } = unpriced;
    const names = models.join(", ") + (count > models.length ? " …" : "");
    const topic = `models:${createHash("sha256").update(`${count} ${names}`).digest("hex").slice(0, 32)}`;
    if (await siteInboxHas(db, "models-unpriced", topic)) return;
    await raiseNotice(db, {
      event: "models-unpriced",
      topic,
      facts: { count: String(count), models: names },
    });
  },
};
