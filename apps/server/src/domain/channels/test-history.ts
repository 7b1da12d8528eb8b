/** Test results of channels. Only the newest are kept, so that scheduled tests cannot fill the disk. */
import type { ChannelTestResult } from "@gateway/shared/channels/channel";
import { cannotProbe } from "@gateway/shared/channels/channel";
import type { ChannelPulse, ChannelTestRow } from "@gateway/shared/channels/channel-run";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";

const KEPT_PER_CHANNEL = 100;
const POINTS = 20;

/** Stores a test result. A test that could not be sent proves nothing about the channel and is not stored. */
export async function noteTest(db: PrismaClient, id: number, result: ChannelTestResult): Promise<void> {
  if (result.fault === cannotProbe) return;
  await db.$transaction([
    db.channel.updateMany({
      where: { id },
      data: { test_time: currentTime(), ...(result.ok ? { response_time: result.duration } : {}) },
    }),
    db.channelTest.create({
      data: {
        channel_id: id,
        model: result.model.slice(0, 160),
        ok: result.ok,
        duration_ms: result.duration,
        message: result.message,
      },
    }),
    db.$executeRaw`
      DELETE FROM channel_tests WHERE channel_id = ${id} AND id <= (
        SELECT id FROM channel_tests WHERE channel_id = ${id} ORDER BY id DESC OFFSET ${KEPT_PER_CHANNEL} LIMIT 1)`,
  ]);
}

/** Returns the tests of a channel, newest first. */
export async function testsOf(db: Db, channelId: number): Promise<ChannelTestRow[]> {
  const rows = await db.channelTest.findMany({
    where: { channel_id: channelId },
    orderBy: { id: "desc" },
    take: KEPT_PER_CHANNEL,
  });
  return rows.map((row) => ({
    id: Number(row.id),
    model: row.model,
    created_time: unixTime(row.created_time),
    ok: row.ok,
    duration: row.duration_ms,
    message: row.message,
  }));
}

/** Returns the last points of each channel. Channels that were never tested are omitted. */
export async function pulses(db: Db, channelIds: readonly number[]): Promise<ChannelPulse[]> {
  return db.$queryRaw<ChannelPulse[]>`
    SELECT wanted.id AS channel_id, recent.points
    FROM unnest(${[...channelIds]}::int[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('ok', ok, 'duration', duration_ms,
        'at', floor(extract(epoch FROM created_time))) ORDER BY id) AS points
      FROM (SELECT * FROM channel_tests WHERE channel_id = wanted.id ORDER BY id DESC LIMIT ${POINTS}) AS newest
    ) AS recent
    WHERE recent.points IS NOT NULL`;
}
