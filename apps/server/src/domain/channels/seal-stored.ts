import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { channelParts, toChannelInput } from "./channel-row.ts";
import { sealPrivate } from "./channel-secrets.ts";

const ROWS_A_PAGE = 200;

/**
 * Encrypts what earlier versions stored in plain text: proxy passwords, header values, parameters. Runs at
 * each start.
 */
export async function sealStoredSecrets(db: PrismaClient, secrets: Secrets): Promise<void> {
  let after = 0;
  while (true) {
    const rows = await db.channel.findMany({
      where: {
        id: { gt: after },
        private_encrypted: null,
        OR: [
          { proxy: { contains: "@" } },
          { NOT: { model_headers: { equals: {} } } },
          { NOT: { custom_parameter: { equals: {} } } },
          { NOT: { plugin: { equals: {} } } },
        ],
      },
      orderBy: { id: "asc" },
      take: ROWS_A_PAGE,
      include: channelParts,
    });
    for (const row of rows) {
      const data = sealPrivate(secrets, row.id, toChannelInput(row));
      // Another node or an administrator may have changed the row since the read. The newer row wins.
      if (data.private_encrypted !== null)
        await db.$executeRaw`
          UPDATE channels SET private_encrypted = ${data.private_encrypted}, proxy = ${data.proxy},
            model_headers = ${JSON.stringify(data.model_headers)}::jsonb,
            custom_parameter = ${JSON.stringify(data.custom_parameter)}::jsonb,
            plugin = ${JSON.stringify(data.plugin)}::jsonb
          WHERE id = ${row.id} AND private_encrypted IS NULL AND proxy = ${row.proxy}
            AND model_headers = ${JSON.stringify(row.model_headers)}::jsonb
            AND custom_parameter = ${JSON.stringify(row.custom_parameter)}::jsonb
            AND plugin = ${JSON.stringify(row.plugin)}::jsonb`;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_A_PAGE) return;
    after = last.id;
  }
}
