import type { DemoUpstream } from "@gateway/demo/server";
import type { Env } from "#env.ts";
import { demo } from "#providers/definitions/demo.ts";
import type { Provider } from "#providers/provider.ts";

/** The simulated provider. It is in the provider list while it runs. */
export interface DemoProvider {
  isRunning(): boolean;
  /** Whether an administrator can enable it: neither disabled by the environment nor running. */
  isOffered(): boolean;
  /** Starts it if `enabled`. It runs until the process ends, because channels may use it. */
  follow(enabled: boolean): Promise<void>;
  close(): Promise<void>;
}

/** @param providers registry to which the demo provider is added */
export async function openDemoProvider(
  mode: Env["demoUpstream"],
  providers: Map<number, Provider>,
): Promise<DemoProvider> {
  let starting: Promise<DemoUpstream> | undefined;
  let running = false;

  async function follow(enabled: boolean): Promise<void> {
    if (mode === "off" || running || !(enabled || mode === "on")) return;
    starting ??= import("@gateway/demo/server").then(({ startDemoUpstream }) => startDemoUpstream());
    const provider = demo((await starting).url);
    providers.set(provider.type, provider);
    running = true;
  }

  await follow(false);
  return {
    isRunning: () => running,
    isOffered: () => mode === "optional" && !running,
    follow,
    close: async () => (await starting)?.close(),
  };
}
