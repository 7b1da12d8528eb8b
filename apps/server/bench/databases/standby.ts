import { setTimeout as sleep } from "node:timers/promises";
import type { ReplicatedPostgres } from "#test/standby.ts";

export interface StandbyFailure {
  nodes: readonly string[];
  accessToken: string;
  replicated: ReplicatedPostgres;
}

/** Screens over the log and usage. */
const screens = [
  "/api/log?size=20",
  "/api/log/stat",
  "/api/log/facets",
  "/api/log/sessions",
  "/api/user/dashboard",
  "/api/analytics/statistics",
];
const PATIENCE_MS = 30_000;

/** Pauses, stops and starts the standby. All screens of all nodes are requested in each state. */
export async function failStandby({
  nodes,
  accessToken,
  replicated,
}: StandbyFailure): Promise<Record<string, boolean>> {
  async function problemsOf(node: string): Promise<string[]> {
    const response = await fetch(`${node}/api/ready`, { signal: AbortSignal.timeout(5_000) });
    const { problems = [] } = (await response.json()) as { problems?: string[] };
    return response.ok ? problems : ["not ready"];
  }

  /** Returns whether every node comes to name exactly these problems. */
  async function reaches(...problems: string[]): Promise<boolean> {
    for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; await sleep(200)) {
      const found = await Promise.all(nodes.map(problemsOf));
      if (found.every((list) => list.join() === problems.join())) return true;
    }
    return false;
  }

  async function answer(): Promise<boolean> {
    const urls = nodes.flatMap((node) => screens.map((path) => node + path));
    const statuses = await Promise.all(
      urls.map(async (url) => {
        const headers = { authorization: accessToken, "api-version": "2" };
        const response = await fetch(url, { headers, signal: AbortSignal.timeout(15_000) });
        await response.body?.cancel();
        if (response.status !== 200) console.log(`  ${url} returns ${response.status}`);
        return response.status;
      }),
    );
    return statuses.every((status) => status === 200);
  }

  async function metric(name: string): Promise<number | undefined> {
    const response = await fetch(`${nodes[0]}/metrics`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const line = (await response.text()).split("\n").find((text) => text.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.split(" ")[1]);
  }

  const healthy = (await reaches()) && (await answer());
  const isUsed = (await metric("gateway_postgres_replica_used")) === 1;
  await replicated.pauseReplay();
  // Before the lag is noticed, screens show older data.
  const answersPaused = await answer();
  const isLagNamed = await reaches("replica_lagging");
  const lag = (await metric("gateway_postgres_replica_lag_seconds")) ?? 0;
  const answersLagging = await answer();
  await replicated.resumeReplay();
  const catchesUp = await reaches();
  const [, answersStopping] = await Promise.all([replicated.standby.stop(), answer()]);
  const isLossNamed = await reaches("replica_unreachable");
  const answersStopped = await answer();
  await replicated.startStandby();
  return {
    "screens read the standby": healthy && isUsed,
    "screens answer while the standby is paused": answersPaused && answersLagging,
    "the lag is named and measured": isLagNamed && lag > 1,
    "a standby that has caught up is read again": catchesUp,
    "screens answer while the standby stops, and after that": answersStopping && answersStopped,
    "the loss of the standby is named": isLossNamed,
    "a standby that is back is read again":
      (await reaches()) && (await metric("gateway_postgres_replica_used")) === 1 && (await answer()),
  };
}
