import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { unstorableIn } from "#dialects/storable.ts";
import { parseRecord } from "#dialects/wire.ts";
import { addTask, markCharged } from "#domain/tasks/tasks.ts";
import { GatewayError, invalidRequest, noChannel } from "#errors.ts";
import type { PrismaClient, Task } from "#platform/prisma/client.ts";
import { refusal } from "#providers/refusal.ts";
import type { AcceptedTask, TaskRequest, TaskWire } from "#providers/wires/task.ts";
import type { Call } from "#relay/core/call.ts";
import { answerHeaders, noteRefusal, relay, type Serving } from "#relay/core/exchange.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** A call for work that is done later: paid for when a provider takes it on, and remembered before it is paid for. */
export interface TaskCall extends Call {
  wire: TaskWire;
  requested: TaskRequest;
}

/** What a task sold by the token counts as: it has none that anyone could count. */
export const TASK_USAGE = { input: 1_000, output: 0 };

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface Taken {
  headers: Record<string, string>;
  accepted: AcceptedTask;
}

/** Throws `invalid_request` for text that could not be kept: its task would run, and no one could find or pay it. */
export async function submitTask(
  services: RelayServices,
  db: PrismaClient,
  requested: TaskCall,
): Promise<Taken> {
  const call: TaskCall = { ...requested, kind: "task" };
  try {
    refuseUnstorable(call.requested, call.model);
  } catch (error) {
    if (error instanceof GatewayError) noteRefusal(services, call, error);
    throw error;
  }
  const { wire, requested: task } = call;
  return relay<Taken>(services, call, {
    encode: ({ upstreamModel: model }) => ({
      request: {
        method: "POST",
        path: task.path,
        ownPath: true,
        model,
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(task.bodyFor(model)),
      },
      decodeError: decodeTaskError,
    }),
    async read(response, _sent, serving) {
      const accepted = wire.accepted(parseRecord(await response.text(MAX_ANSWER_BYTES)) ?? {});
      if ("error" in accepted)
        return { error: refusal(serving.chosen.channel.provider, accepted.error, response.headers) };
      await takeOn(services, db, call, accepted, serving);
      return { accepted, headers: answerHeaders(response.headers, []) };
    },
  });
}

function refuseUnstorable(requested: TaskRequest, model: string): void {
  const { action, prompt, notifyHook, properties } = requested;
  const sent = { prompt, action, notify_hook: notifyHook, ...properties, body: requested.bodyFor(model) };
  const path = unstorableIn(sent)?.replaceAll("\0", "").toWellFormed();
  if (path === undefined) return;
  throw invalidRequest({ reason: "field_not_text", field: path });
}

/** The task is remembered before it is paid for: what was accepted can be found again. */
async function takeOn(
  services: RelayServices,
  db: PrismaClient,
  call: TaskCall,
  accepted: AcceptedTask,
  { chosen, lifecycle, accept }: Serving,
): Promise<void> {
  accept();
  const { task, known } = await addTask(db, {
    platform: call.wire.platform,
    requested: call.requested,
    accepted,
    minutes: services.settings.current().TaskDeadlineMinutes || call.wire.minutes,
    userId: call.caller.userId,
    tokenId: call.caller.tokenId,
    channelId: chosen.channel.id,
    keyId: chosen.key?.id,
    requestId: call.requestId,
    submittedAt: new Date(call.startedAt),
  });
  // Asked for twice, made once: the second costs nothing.
  if (known) call.calls = 0;
  const usage = known ? { input: 0, output: 0 } : TASK_USAGE;
  await lifecycle.settle({ outcome: "complete", reported: usage, delivered: { narrow: 0, wide: 0 } });
  // What fails here is found in the log row when it is needed.
  if (!known) await markCharged(db, task).catch((error: unknown) => services.onError(error));
}

const ASK_TIMEOUT_MS = 30_000;

/** A client's question about its task that only the task's provider can answer. */
export interface TaskQuestionCall extends Call {
  task: Pick<Task, "channel_id" | "key_id" | "model">;
  /** The provider's own. */
  path: string;
}

/** The provider's answer as an object. Free. Throws when the provider cannot be asked or does not answer. */
export function askAboutTask(services: RelayServices, requested: TaskQuestionCall): Promise<Wire> {
  const { task, path } = requested;
  const call: TaskQuestionCall = { ...requested, books: "none" };
  return relay<Wire>(services, call, {
    target() {
      const channel = services.candidates.byId(task.channel_id);
      const key = channel?.keys.find(({ id }) => id === task.key_id);
      if (channel === undefined || (key === undefined && channel.provider.keyless !== true))
        throw noChannel(task.model);
      return { channel, key };
    },
    encode: () => ({
      request: { method: "GET", path, ownPath: true, headers: {}, body: null, timeoutMs: ASK_TIMEOUT_MS },
      decodeError: decodeTaskError,
    }),
    async read(response, _sent, { lifecycle, accept }) {
      const answer = parseRecord(await response.text(MAX_ANSWER_BYTES));
      if (answer === undefined)
        return {
          error: { kind: "server", message: "The upstream's answer could not be read.", status: 200 },
        };
      accept();
      await lifecycle.pass({ outcome: "complete", status: 200 });
      return answer;
    },
  });
}

/** The status says what kind of trouble it is; these wires have their sentence at one of two places. */
export function decodeTaskError(
  status: number,
  text: string,
  headers: Record<string, string | string[] | undefined>,
): UpstreamError {
  const error = dialects["openai-chat"].decodeError(status, text, headers);
  const { message, description } = parseRecord(text) ?? {};
  const output = [message, description].find((sentence) => typeof sentence === "string");
  return output === undefined ? error : { ...error, message: output };
}
