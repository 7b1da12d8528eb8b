import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { unstorableIn } from "#dialects/storable.ts";
import { emptyTally } from "#dialects/usage/tally.ts";
import { parseRecord } from "#dialects/wire.ts";
import { addTask, markCharged } from "#domain/tasks/tasks.ts";
import { GatewayError, invalidRequest, noChannel } from "#errors.ts";
import type { PrismaClient, Task } from "#platform/prisma/client.ts";
import { refusal } from "#providers/refusal.ts";
import type { AcceptedTask, TaskRequest, TaskWire } from "#providers/wires/task.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import type { ReceivedCall, RoutedCall } from "#relay/core/call.ts";
import { noteRefusal, relay, relayFree } from "#relay/core/exchange.ts";
import { selectResponseHeaders } from "#relay/core/response/response-headers.ts";
import { unreadableError } from "#relay/core/response/whole-text.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** A call for an asynchronous task: charged when a provider accepts it, and stored before it is charged. */
export interface TaskCall extends ReceivedCall {
  readonly wire: TaskWire;
  readonly requested: TaskRequest;
}

/** Usage of a task that is sold by the token. It has no tokens that could be counted. */
export const TASK_USAGE = { input: 1_000, output: 0 };

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface SubmittedTask {
  headers: Record<string, string>;
  accepted: AcceptedTask;
}

/**
 * Submits a task. Throws `invalid_request` for text that cannot be stored: the task would run, but could not
 * be found or charged.
 */
export async function relayTask(
  services: RelayServices,
  db: PrismaClient,
  requested: TaskCall,
): Promise<SubmittedTask> {
  const call: TaskCall = { ...requested, kind: "task" };
  try {
    refuseUnstorable(call.requested, call.model);
  } catch (error) {
    if (error instanceof GatewayError) noteRefusal(services, call, error);
    throw error;
  }
  const { wire, requested: task } = call;
  return relay<SubmittedTask>(services, call, {
    encode: ({ target: { upstreamModel: model } }) => ({
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
    async read(response, _sent, routed, bill) {
      const accepted = wire.accepted(parseRecord(await response.text(MAX_ANSWER_BYTES)) ?? {});
      if ("error" in accepted)
        return { error: refusal(routed.target.channel.provider, accepted.error, response.headers) };
      // Fails before the task is stored if the reply cannot be written.
      JSON.stringify(accepted.reply);
      await storeTask(services, db, call, accepted, routed, bill);
      return { accepted, headers: selectResponseHeaders(response.headers, []) };
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

/** Stores the task before charging it, so that an accepted task can be found again. */
async function storeTask(
  services: RelayServices,
  db: PrismaClient,
  call: TaskCall,
  accepted: AcceptedTask,
  routed: RoutedCall,
  bill: CallBill,
): Promise<void> {
  const { channel, key } = routed.target;
  bill.accept(routed);
  const { task, known } = await addTask(db, {
    platform: call.wire.platform,
    requested: call.requested,
    accepted,
    minutes: services.settings.current().TaskDeadlineMinutes || call.wire.minutes,
    userId: call.caller.userId,
    tokenId: call.caller.tokenId,
    channelId: channel.id,
    keyId: key?.id,
    requestId: call.requestId,
    submittedAt: new Date(call.startedAt),
  });
  const ended = { routed, outcome: "complete", delivered: emptyTally() } as const;
  // Submitted twice but created once: the second call is free.
  if (known) await bill.settle({ ...ended, reported: { input: 0, output: 0 }, calls: 0 });
  else await bill.settle({ ...ended, reported: TASK_USAGE });
  // If this fails, the log row still shows the charge when it is needed.
  if (!known) await markCharged(db, task).catch((error: unknown) => services.onError(error));
}

const ASK_TIMEOUT_MS = 30_000;

/** A client's request about its task that only the task's provider can serve. */
export interface TaskQuestionCall extends ReceivedCall {
  readonly task: Pick<Task, "channel_id" | "key_id" | "model">;
  /** The provider's own path. */
  readonly path: string;
}

/**
 * Returns the provider's response as an object. Free. Throws when the provider cannot be reached or does not
 * respond.
 */
export async function askAboutTask(services: RelayServices, call: TaskQuestionCall): Promise<Wire> {
  const { task, path } = call;
  const { answer } = await relayFree<{ answer: Wire }, TaskQuestionCall>(services, call, {
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
    async read(response) {
      const answer = parseRecord(await response.text(MAX_ANSWER_BYTES));
      return answer === undefined ? { error: unreadableError(response.status) } : { answer };
    },
  });
  return answer;
}

/** Decodes an error of a task provider. The status decides the kind; the message is in one of two fields. */
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
