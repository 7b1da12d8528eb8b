import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { createAnswerCache } from "#domain/answers/answer-cache.ts";
import type { ChannelForTest } from "#domain/channels/channel-row.ts";
import { createHealth } from "#domain/channels/health/health.ts";
import type { KeyReferences } from "#domain/channels/key-references/key-references.ts";
import { type ChannelCheckDeps, runTasks } from "#domain/channels/runs/check-channel.ts";
import { type ChannelRunner, createChannelRunner } from "#domain/channels/runs/runner.ts";
import { createAffinity } from "#domain/channels/selection/affinity.ts";
import { createKnownPrompts } from "#domain/channels/selection/known-prompts.ts";
import { storedChannel } from "#domain/channels/selection/load-channels.ts";
import type { Ledger } from "#domain/ledger/ledger.ts";
import type { Share } from "#domain/limits/levels.ts";
import type { BodyLog } from "#domain/logs/bodies.ts";
import { checkModelList } from "#domain/model-changes/check.ts";
import { createBackgroundBills } from "#domain/responses/background.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { createWebSearch } from "#domain/web-search/web-search.ts";
import type { PeriodicTask } from "#platform/activity.ts";
import { type Announcements, announce } from "#platform/announcements.ts";
import { now } from "#platform/clock.ts";
import type { Database } from "#platform/database/db.ts";
import type { UpstreamClient } from "#platform/http/http.ts";
import { boundedFetch, fetchPublic } from "#platform/http/public-fetch.ts";
import type { MemoryBudget } from "#platform/memory/memory-budget.ts";
import { TransientMap } from "#platform/memory/transient-map.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import { createModelLabels } from "#platform/metrics/model-labels.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import { followBackground } from "#relay/background/background.ts";
import { keepCheckpoints } from "#relay/core/billing/checkpoints.ts";
import { createReasoners } from "#relay/core/routing/reasoners.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { createDrains } from "#relay/core/upstream/drains.ts";
import {
  fetchBalance,
  fetchModels,
  probeChannel,
  type ProbeServices,
  testChannel,
} from "#relay/probe/probe.ts";
import type { Caches } from "./caches.ts";
import type { Context } from "./context.ts";
import type { Component } from "./parts.ts";

interface Needs extends Context {
  database: Database;
  secrets: Secrets;
  providers: Providers;
  settings: SettingsStore;
  upstream: UpstreamClient;
  memory: MemoryBudget;
  metrics: Metrics;
  bodies: BodyLog;
  ledger: Ledger;
  redis: Redis | undefined;
  share: () => Share;
  caches: Caches;
  keyReferences: KeyReferences;
}

/** Maximum wait at shutdown for the bills of clients that disconnected last. */
const LAST_BILLS_MS = 10_000;

/** Services of the relay. Closed when every bill is. */
export const relayServices: Component<Needs & Pick<RelayServices, "reporter" | "tracing">, RelayServices> = {
  name: "open calls",
  open(needs) {
    const { database, secrets, providers, settings, caches, upstream, activity, onError } = needs;
    const { db } = database;
    const open: RelayServices["open"] = new TransientMap();
    activity.staysAwakeWhile(() => open.size > 0);
    return {
      memory: needs.memory,
      candidates: caches.candidates,
      groups: caches.groups,
      health: createHealth(db, {
        onError,
        nodes: () => needs.share().nodes,
        circuit() {
          const { CircuitBreakerEnabled, CircuitBreakerThreshold, CircuitBreakerSeconds } =
            settings.current();
          return {
            enabled: CircuitBreakerEnabled,
            share: CircuitBreakerThreshold,
            pauseMs: CircuitBreakerSeconds * 1_000,
          };
        },
        test: (channel, model, cheap) => probeChannel({ settings, upstream }, channel, model, cheap),
      }),
      affinity: createAffinity({
        redis: needs.redis,
        minutes: () => settings.current().SessionAffinityMinutes,
      }),
      prompts: createKnownPrompts(needs.redis),
      ledger: needs.ledger,
      prices: caches.prices,
      settings,
      upstream,
      metrics: needs.metrics,
      modelLabel: createModelLabels(
        (model) => caches.prices.table().exact.has(model) || caches.candidates.lists(model),
      ),
      bodies: needs.bodies,
      answers: createAnswerCache({ secrets, redis: needs.redis }),
      background: createBackgroundBills(db),
      storedChannel: (id) =>
        storedChannel({ db, secrets, providers, keyReferences: needs.keyReferences }, id),
      random: Math.random,
      open,
      drains: createDrains(() => settings.current().DisconnectDrainSeconds),
      reasoners: createReasoners(),
      revocations: caches.revocations,
      webSearch: createWebSearch({ settings, fetch: boundedFetch(), now }),
      reporter: needs.reporter,
      tracing: needs.tracing,
      fetchPublic: (address, options) =>
        fetchPublic(address, { ...options, mayReach: needs.options.mayReach }),
      onError,
    };
  },
  async close({ drains, open }) {
    drains.close();
    const until = performance.now() + LAST_BILLS_MS;
    while (open.size > 0 && performance.now() < until) await sleep(20);
  },
};

export const checkpoints: Component<Context & { relay: RelayServices }, PeriodicTask> = {
  name: "checkpoints of long calls",
  open: ({ relay, activity }) => keepCheckpoints(relay, activity),
  close: (opened) => opened.close(),
};

export const backgroundResponses: Component<Context & { relay: RelayServices }, { close(): Promise<void> }> =
  {
    name: "background responses",
    open: ({ relay, activity }) => followBackground(relay, activity),
    close: (opened) => opened.close(),
  };

interface ChannelRuns {
  probe: ProbeServices;
  checks: ChannelCheckDeps;
  runner: ChannelRunner;
}

/** Channel tests, balances and model lists: single ones for the console, many in a run. */
export const channelRuns: Component<
  Needs & { announcements: Announcements; health: RelayServices["health"] },
  ChannelRuns
> = {
  name: "channel runs",
  open(needs) {
    const { database, announcements, secrets, providers, keyReferences, settings, upstream } = needs;
    const { health, onError } = needs;
    const { db } = database;
    // An operator who changes or tests a channel ends its pauses at every node.
    announcements.on("pauses", (id) => health.forgive(id));
    const probe = { settings, upstream, random: Math.random, providers };
    const checks: ChannelCheckDeps = {
      db,
      secrets,
      providers,
      keyReferences,
      settings,
      health: {
        freezes: (id) => health.freezes(id),
        forgive(id) {
          health.forgive(id);
          announce(db, "pauses", id).catch(onError);
        },
      },
      testChannel: (input) => testChannel(probe, input),
      fetchBalance: (channel) => fetchBalance(probe, channel),
    };
    const lists = {
      db,
      secrets,
      providers,
      keyReferences,
      fetchModels: (channel: ChannelForTest) => fetchModels(probe, channel),
    };
    const tasks = { ...runTasks(checks), models: (id: number) => checkModelList(lists, id) };
    return { probe, checks, runner: createChannelRunner(db, tasks, onError) };
  },
  close: ({ runner }) => runner.close(),
};
