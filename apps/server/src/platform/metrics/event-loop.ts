import { monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

/** The event loop is sampled this often. The library's 10 ms would wake an idle process all the time. */
const SAMPLE_MS = 500;

const NS_PER_SECOND = 1e9;
const SAMPLE_NS = SAMPLE_MS * 1e6;

type Delays = ReturnType<typeof monitorEventLoopDelay>;

/** Names of prom-client's default metrics, so that dashboards for Node.js work. */
const shares: Record<string, (delays: Delays) => number> = {
  min: ({ min }) => min - SAMPLE_NS,
  max: ({ max }) => max - SAMPLE_NS,
  mean: ({ mean }) => mean - SAMPLE_NS,
  stddev: ({ stddev }) => stddev,
  p50: (delays) => delays.percentile(50) - SAMPLE_NS,
  p90: (delays) => delays.percentile(90) - SAMPLE_NS,
  p99: (delays) => delays.percentile(99) - SAMPLE_NS,
};

/**
 * Replaces the default metrics of the event loop's delay. Theirs contain the interval between two samples: with half a
 * second, an idle loop would seem to be half a second late.
 */
export function watchEventLoop(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delays.enable();
  let latest: Record<string, number> = {};
  function read(): void {
    // No sample since the last time.
    if (delays.count === 0) return;
    latest = {};
    for (const [share, of] of Object.entries(shares)) latest[share] = Math.max(0, of(delays) / NS_PER_SECOND);
    delays.reset();
  }
  for (const share of Object.keys(shares)) {
    const name = `nodejs_eventloop_lag_${share}_seconds`;
    registry.removeSingleMetric(name);
    const gauge = new Gauge({
      name,
      help: `Delay of the event loop (${share}), sampled every ${SAMPLE_MS} ms.`,
      registers: [registry],
      aggregator: share === "max" || share === "min" ? share : "average",
      collect() {
        // The first one reads for all.
        if (share === "min") read();
        gauge.set(latest[share] ?? 0);
      },
    });
  }
}
