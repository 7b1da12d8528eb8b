/** Starts gateways in one process, which loads their modules once. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { HostAnswer, HostRequest } from "../../../server/test/gateway-host-messages.ts";
import { gatewayFlags } from "../../../server/test/gateway-process.ts";
import { compileCache, type RunningGateway } from "./installation.ts";

export interface GatewayHost {
  /** @param isLocal whether the gateway may call addresses on this machine */
  start(env: Record<string, string>, isLocal: boolean): Promise<RunningGateway>;
  /** Ends the process. */
  end(): void;
}

type Action = HostRequest extends infer Request
  ? Request extends unknown
    ? Omit<Request, "id">
    : never
  : never;

const program = fileURLToPath(new URL("../../../server/test/gateway-host.ts", import.meta.url));

/** The process starts with the first gateway. */
export function createGatewayHost(): GatewayHost {
  const waiting = new Map<number, PromiseWithResolvers<HostAnswer>>();
  let requests = 0;
  let child: ChildProcess | undefined;

  function startProcess(): ChildProcess {
    const started = fork(program, {
      execArgv: ["--disable-warning=ExperimentalWarning", ...gatewayFlags],
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    started.on("message", (answer: HostAnswer) => {
      waiting.get(answer.id)?.resolve(answer);
      waiting.delete(answer.id);
    });
    started.once("exit", (code) => {
      child = undefined;
      for (const { reject } of waiting.values())
        reject(new Error(`The gateways' process ended with ${code}.`));
      waiting.clear();
    });
    return started;
  }

  async function request(action: Action): Promise<HostAnswer> {
    child ??= startProcess();
    requests += 1;
    const pending = Promise.withResolvers<HostAnswer>();
    waiting.set(requests, pending);
    child.send({ ...action, id: requests });
    const answer = await pending.promise;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  return {
    async start(env, isLocal) {
      const { url = "" } = await request({ action: "start", env, isLocal });
      return {
        url,
        printed: [],
        stop: async () => void (await request({ action: "stop", url })),
      };
    },
    end: () => void child?.kill("SIGKILL"),
  };
}
