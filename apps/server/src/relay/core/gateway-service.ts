/**
 * Calls that the gateway serves itself: searches without a model, and tools of MCP servers. No channel is chosen. What
 * a call uses is reserved first, and charged whether or not the client is still there when the result arrives.
 */
import type { Reason } from "@gateway/shared/reasons";
import type { Usage } from "#dialects/ir.ts";
import { emptyTally } from "#dialects/usage/tally.ts";
import { abortSignalOf } from "#platform/http/cancellation.ts";
import { CallBill } from "./billing/call-bill.ts";
import type { CachedCall, ReceivedCall } from "./call.ts";
import type { RelayServices } from "./services.ts";

export interface ServiceResult<Answer> {
  readonly answer: Answer;
  /** What is charged; undefined when the call is free. */
  readonly used: Usage | undefined;
  /** Why it is free, for the log. */
  readonly reason?: Reason;
}

export interface GatewayService<Answer> {
  /** Returns the call with its maximum cost, and the terms of its charge. Throws what refuses it. */
  plan(): Pick<CachedCall, "planned" | "terms">;
  run(signal: AbortSignal): Promise<ServiceResult<Answer>>;
}

/** Reserves, runs and charges a call. Throws the errors that refuse any call, and those of `run`. */
export async function serveByGateway<Answer>(
  services: RelayServices,
  received: ReceivedCall,
  { plan, run }: GatewayService<Answer>,
): Promise<Answer> {
  const bill = new CallBill(services, received);
  try {
    services.drains.requireFew(received.caller.userId);
    const call: CachedCall = { ...plan(), byGateway: true };
    bill.serveCached(call);
    // Watch before reserving, so that a change in between is noticed by the watch or by the reservation.
    bill.connection.open();
    await bill.reserve(call.planned);
    return await runCharged(services, bill, call, run);
  } catch (error) {
    await bill.fail(error);
    throw error;
  }
}

async function runCharged<Answer>(
  services: RelayServices,
  bill: CallBill,
  call: CachedCall,
  run: GatewayService<Answer>["run"],
): Promise<Answer> {
  const { connection } = bill;
  const gone = connection.gone();
  if (gone !== undefined) throw gone;
  const { received, plan } = call.planned;
  const charge = (outcome: "complete" | "client-left", reported: Usage) =>
    bill.settle({ routed: call, outcome, reported, final: true, delivered: emptyTally() });
  // The result of a call with a price is awaited for a client that leaves; a free call is cancelled.
  if (plan.worstCase > 0n) connection.sent();
  try {
    const { answer, used, reason } = await run(abortSignalOf(connection.signal));
    if (connection.revoked !== undefined) throw connection.revoked;
    connection.answered(200, {});
    bill.attempts.receiveByte();
    if (used === undefined) await bill.pass({ outcome: "complete", status: 200, content: reason });
    else await charge("complete", used);
    return answer;
  } catch (error) {
    // No one learns what was done for a client that cut the call off.
    const isCutOff = connection.isCut || (connection.revoked !== undefined && !connection.isInterrupted);
    if (isCutOff && connection.reach === "sent")
      await charge("client-left", received.estimate).catch(services.onError);
    throw connection.gone() ?? error;
  }
}
