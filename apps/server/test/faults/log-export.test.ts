import { afterAll, beforeAll, expect, it } from "vitest";
import { type S3Server, startS3Server } from "#test/s3-server.ts";
import { startTestGateway, testAccessToken, type TestGateway } from "../gateway.ts";

let gateway: TestGateway;
let other: TestGateway;
let bucket: S3Server;
beforeAll(async () => {
  bucket = await startS3Server("logs", "right");
  gateway = await startTestGateway();
  other = await startTestGateway({}, gateway);
  await gateway.addChannel({ type: 8, name: "provider" });
});
afterAll(async () => {
  await other.stop();
  await gateway.stop();
  await bucket.close();
});

const problems = async ({ url }: TestGateway) =>
  ((await (await fetch(`${url}/api/ready`)).json()) as { problems?: string[] }).problems;

const change = async (values: object) => gateway.api("PUT", "/option/batch", { values });

it("a bucket that refuses the key is named by every node until an export succeeds, and calls are served", async () => {
  const { key } = await gateway.addToken();
  const call = () =>
    gateway
      .openai(key)
      .chat.completions.create({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] });
  await change({
    LogExportEnabled: true,
    LogExportPlace: "s3",
    LogExportS3Endpoint: bucket.endpoint,
    LogExportS3Bucket: "logs",
    LogExportS3AccessKey: "wrong",
    LogExportS3SecretKey: "secret",
  });
  // An hour with a call, so that there is something to write.
  await gateway.database.pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id)
     SELECT date_trunc('hour', now()) - n * interval '1 hour' + interval '1 minute', 'call', 2, 1 FROM generate_series(1, 3) AS n`,
  );
  expect(await problems(gateway)).toBeUndefined();
  await gateway.api("POST", "/option/log-export/run");
  for (const node of [gateway, other])
    await expect.poll(() => problems(node), { timeout: 30_000 }).toEqual(["log_export_failing"]);
  expect((await call()).choices.length).toBe(1);
  const metrics = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: testAccessToken },
  });
  expect(await metrics.text()).toMatch(/^gateway_log_export_lag_seconds [1-9]\d{3,}/m);

  await change({ LogExportS3AccessKey: "right" });
  await expect
    .poll(async () => (await gateway.api<{ is_running: boolean }>("GET", "/option/log-export")).is_running)
    .toBe(false);
  await gateway.api("POST", "/option/log-export/run");
  for (const node of [gateway, other])
    await expect.poll(() => problems(node), { timeout: 30_000 }).toBeUndefined();
  expect([...bucket.objects.keys()]).toContainEqual(
    expect.stringMatching(/^logs\/date=.*\/part-00000\.parquet$/),
  );
});
