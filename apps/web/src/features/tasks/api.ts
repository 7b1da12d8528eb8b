/** Asynchronous tasks of providers, as far as the user may see them. */
import type {
  MidjourneyPage,
  MidjourneyQuery,
  MidjourneyRow,
  TaskPage,
  TaskRow,
} from "@gateway/shared/channels/task";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { TaskFilter } from "#lib/address/list-queries.ts";
import { asPage, http } from "#lib/http.ts";
import { isOpen } from "./task-labels.ts";

/** Everyone's rows are for administrators. */
export type TaskScope = "everybody" | "own";

/** The server polls providers every ten seconds. More frequent refetches show nothing new. */
const WATCH_MS = 5_000;

const paths = {
  everybody: { task: "/task", mj: "/mj" },
  own: { task: "/task/self", mj: "/mj/self" },
} as const;

type ListQueryState = { state: { data: { data: { status: string }[] } | undefined } };
/** Polls only while the list contains unfinished tasks. */
const watching = ({ state }: ListQueryState) => (state.data?.data.some(isOpen) ? WATCH_MS : false);

export const tasksQuery = (scope: TaskScope, query: TaskFilter) =>
  queryOptions({
    queryKey: ["task", scope, query],
    queryFn: () => http.get(paths[scope].task, asPage<TaskPage>(), query),
    placeholderData: keepPreviousData,
    refetchInterval: watching,
  });

/** @param query times in unix seconds, as in the address */
export const midjourneyQuery = (scope: TaskScope, query: TaskFilter) =>
  queryOptions({
    queryKey: ["mj", scope, query],
    queryFn: () => {
      const { platform: _platform, ...rest } = query;
      const requested: Omit<MidjourneyQuery, "user_ids"> = {
        mj_id: "",
        ...rest,
        start_timestamp: query.start_timestamp * 1_000,
        end_timestamp: query.end_timestamp * 1_000,
      };
      return http.get(paths[scope].mj, asPage<MidjourneyPage>(), requested);
    },
    placeholderData: keepPreviousData,
    refetchInterval: watching,
  });

/** Fetches a task that is named in the address but not in the list. */
export async function fetchTask(scope: TaskScope, taskId: string): Promise<TaskRow | undefined> {
  const page = await http.get(paths[scope].task, asPage<TaskPage>(), {
    task_id: taskId.slice(0, 64),
    size: 1,
  });
  return page.data[0];
}

/** The same for a Midjourney task. */
export async function fetchMidjourney(scope: TaskScope, taskId: string): Promise<MidjourneyRow | undefined> {
  const page = await http.get(paths[scope].mj, asPage<MidjourneyPage>(), {
    mj_id: taskId.slice(0, 64),
    size: 1,
  });
  return page.data[0];
}

/** Returns the key of a task in the address: the provider's id, or ours when it has none. */
export const keyOfTask = (row: { id: number; task_id: string }) => row.task_id || String(row.id);
export const keyOfMidjourney = (row: { id: number; mj_id: string }) => row.mj_id || String(row.id);
