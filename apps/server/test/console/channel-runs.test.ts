import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { ChannelRun, ChannelRunDetail } from "@gateway/shared/channels/channel-run";
import type { ModelCheckEvent } from "@gateway/shared/models/model-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** Tests, balance refreshes and checks of channels against a provider on a real socket. */
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

async function events(path: string, body?: object): Promise<unknown[]> {
  const response = await fetch(`${gateway.url}/api${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "api-version": "2",
      authorization: testAccessToken,
      "accept-encoding": "gzip, br",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(response.headers.get("content-encoding")).toBeNull();
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as unknown);
}

const channel = (id: number) => gateway.api<ChannelRow>("GET", `/channel/${id}`);

describe("a run over a real provider", () => {
  it("tests each model by its kind, and separates good, bad and untestable ones", async () => {
    const good = await gateway.addChannel({
      type: 8,
      name: "good",
      models: ["demo-chat", "demo-embed", "demo-rerank", "demo-image", "demo-whisper"],
    });
    const { id } = await gateway.api<ChannelRun>("POST", "/channel/run", {
      kind: "test",
      ids: [good.id],
      models: good.models,
    });
    const reported = (await events(`/channel/run/${id}/events`)) as ChannelRunDetail[];
    const outcomes = reported
      .flatMap((event) => event.items)
      .map((item) => [item.model, item.outcome] as const);
    expect(Object.fromEntries(outcomes)).toEqual({
      "demo-chat": "ok",
      "demo-embed": "ok",
      "demo-rerank": "ok",
      "demo-image": "ok",
      "demo-whisper": "skipped",
    });
  });

  it("disables a channel whose key is rejected twice, and enables it after a successful test", async () => {
    const { id } = await gateway.addChannel({ type: 8, name: "expired" });
    gateway.upstream.control.set({ status: 401, times: 2 });
    const first = await gateway.api<ChannelRun>("POST", "/channel/run", { kind: "test", ids: [id] });
    expect(await events(`/channel/run/${first.id}/events`).then((all) => all.at(-1))).toMatchObject({
      run: { status: "done", failed: 1 },
    });
    expect(await channel(id)).toMatchObject({ status: 3 });
    const second = await gateway.api<ChannelRun>("POST", "/channel/run", { kind: "test", ids: [id] });
    await events(`/channel/run/${second.id}/events`);
    expect(await channel(id)).toMatchObject({ status: 1, status_reason: "" });
  });
});

describe("a check of a model", () => {
  const check = async (id: number, models: string) =>
    (await events("/sse/channel/check", { id, models })) as ModelCheckEvent[];

  it("makes five tests of a model that responds, and one of a model that does not", async () => {
    const { id } = await gateway.addChannel({ type: 8, name: "checked" });
    const [first, last] = await check(id, "demo-chat");
    expect(last).toEqual({ type: "done", data: null });
    if (first?.type !== "result") throw new Error("There is no result.");
    const steps = first.data.process;
    expect(steps.map((step) => step.name)).toEqual([
      "Text response",
      "Invalid role",
      "Image",
      "Structured response",
      "Tool call",
    ]);
    const findings = new Map(steps.flatMap((step) => step.results).map((each) => [each.name, each.status]));
    for (const name of ["Responds", "Usage is reported", "Reports the requested model", "Calls the tool"])
      expect([name, findings.get(name)]).toEqual([name, 1]);
    expect(JSON.stringify(first)).not.toContain("provider-key");

    gateway.upstream.control.set({ status: 503, times: 1 });
    const [broken] = await check(id, "demo-chat");
    expect(broken).toMatchObject({
      data: { process: [{ results: [{ name: "Responds", status: 0, remark: "HTTP 503" }] }] },
    });
  });
});
