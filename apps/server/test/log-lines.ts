import type { LogPage, LogRow } from "@gateway/shared/usage/log";
import { expect } from "vitest";
import type { TestGateway } from "./gateway.ts";

/** Waits for the log rows of one call and returns them. */
export async function linesOf(gateway: TestGateway, answer: Response): Promise<LogRow[]> {
  const id = answer.headers.get("x-request-id") ?? "";
  const find = async () => (await gateway.api<LogPage>("GET", `/log?request_id=${id}`)).data;
  await expect.poll(async () => (await find()).length).toBeGreaterThan(0);
  return find();
}
