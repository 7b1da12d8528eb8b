/** Tasks in One Hub's format: rows have all of One Hub's columns. */
import { MidjourneyPage, MidjourneyQuery, TaskPage } from "@gateway/shared/channels/task";
import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import { asRecord } from "#dialects/wire.ts";
import type { Task } from "#platform/prisma/client.ts";
import { type CompatCall, type CompatRoute, readWith, formatWith } from "./plugin/route.ts";

/** Reads the columns that native rows do not have. */
async function findTasks(
  { services }: CompatCall,
  rows: readonly { id: number }[],
): Promise<Map<number, Task>> {
  const found = await services.db.task.findMany({ where: { id: { in: rows.map((row) => BigInt(row.id)) } } });
  return new Map(found.map((task) => [Number(task.id), task]));
}

const seconds = (instant: Date | undefined) => Math.floor((instant?.getTime() ?? 0) / 1_000);

const OlderTask = TaskPage.shape.data.element.extend({
  created_at: z.int(),
  updated_at: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  /** Null without a prompt. */
  properties: z.object({ prompt: z.string() }).nullable(),
  notify_hook: z.string(),
});

const tasks: CompatRoute = {
  answer: formatWith(TaskPage, TaskPage.extend({ data: z.array(OlderTask) }), async (page, call) => {
    const taskOf = await findTasks(call, page.data);
    return {
      ...page,
      data: page.data.map((row) => {
        const task = taskOf.get(row.id);
        return {
          ...row,
          created_at: seconds(task?.created_at),
          updated_at: seconds(task?.updated_at),
          start_time: row.start_time ?? 0,
          finish_time: row.finish_time ?? 0,
          properties: row.prompt === "" ? null : { prompt: row.prompt },
          notify_hook: task?.notify_hook ?? "",
        };
      }),
    };
  }),
};

/** Our column names by the names in the query. */
const columns = lookupTable<string>({ mj_id: "task_id", code: "status" });

const OlderPicture = MidjourneyPage.shape.data.element.extend({
  /** JSON; "" without any. */
  buttons: z.string(),
  properties: z.string(),
});

const midjourney: CompatRoute = {
  query: readWith(MidjourneyQuery, ({ order, page, size, ...query }) => ({
    ...query,
    page: String(page),
    size: String(size),
    order: order
      .split(",")
      .map((part) => part.replace(/\w+/, (column) => columns[column] ?? column))
      .join(","),
  })),
  answer: formatWith(
    MidjourneyPage,
    MidjourneyPage.extend({ data: z.array(OlderPicture) }),
    async (page, call) => {
      const taskOf = await findTasks(call, page.data);
      return {
        ...page,
        data: page.data.map((row) => {
          const data = asRecord(taskOf.get(row.id)?.data);
          return { ...row, buttons: jsonOf(data?.["buttons"]), properties: jsonOf(data?.["properties"]) };
        }),
      };
    },
  ),
};

function jsonOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : "";
}

export const taskCompat: Record<string, CompatRoute> = {
  "GET /mj": midjourney,
  "GET /mj/self": midjourney,
  "GET /task": tasks,
  "GET /task/self": tasks,
};
