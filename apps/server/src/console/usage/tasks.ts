import { MidjourneyPage, MidjourneyQuery, TaskPage, TaskQuery } from "@gateway/shared/channels/task";
import type { FastifyContextConfig, FastifyRequest } from "fastify";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { pageOf, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import {
  describeMidjourney,
  describeTask,
  searchTasks,
  type TaskSearch,
  type TaskView,
} from "#domain/tasks/search.ts";

const sortable = [
  "id",
  "task_id",
  "created_at",
  "submit_time",
  "start_time",
  "finish_time",
  "channel_id",
  "user_id",
  "platform",
  "action",
  "status",
  "progress",
] as const;

interface Endpoint {
  below: "" | "/self";
  config: FastifyContextConfig;
  view(request: FastifyRequest): TaskView;
}

/** Routes for asynchronous tasks of providers: all of them for administrators, own ones for every user. */
export function taskRoutes(app: ConsoleApp, { db }: Services): void {
  const endpoints: Endpoint[] = [
    { below: "", config: { access: "admin", permission: "logs" }, view: () => ({ of: "everybody" }) },
    {
      below: "/self",
      config: { access: "user" },
      view: (request) => ({ of: "owner", userId: viewerOf(request).id }),
    },
  ];
  for (const { below, config, view } of endpoints) {
    app.get(
      `/task${below}`,
      { config, schema: { summary: "List tasks", querystring: TaskQuery, response: answers(TaskPage) } },
      async (request) => {
        const { query } = request;
        const search = {
          ...searchOf(query, 1_000),
          platforms: query.platform === "" ? (["suno", "kling"] as const) : [query.platform],
        };
        const { found, total } = await searchTasks(db, view(request), search, sliceOf(query, sortable));
        return ok(pageOf(query, found.map(describeTask), total));
      },
    );
    app.get(
      `/mj${below}`,
      {
        config,
        schema: {
          summary: "List Midjourney tasks",
          querystring: MidjourneyQuery,
          response: answers(MidjourneyPage),
        },
      },
      async (request) => {
        const { query } = request;
        const search = {
          ...searchOf(query, 1),
          task_id: query.mj_id || query.task_id,
          platforms: ["midjourney"] as const,
        };
        const slice = sliceOf(query, sortable);
        const { found, total } = await searchTasks(db, view(request), search, slice);
        return ok(pageOf(query, found.map(describeMidjourney), total));
      },
    );
  }
}

/** Returns the search for a query. @param unit milliseconds per unit of the query's times */
function searchOf(query: Omit<MidjourneyQuery, "mj_id">, unit: number): Omit<TaskSearch, "platforms"> {
  const { action, status, task_id, token_id, user_id, user_ids, channel_id } = query;
  const instant = (time: number) => (time === 0 ? undefined : new Date(Math.min(time * unit, 8.64e15)));
  return {
    action,
    status,
    task_id,
    token_id,
    user_id,
    user_ids,
    channel_id,
    from: instant(query.start_timestamp),
    to: instant(query.end_timestamp),
  };
}
