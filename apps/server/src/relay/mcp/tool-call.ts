/**
 * Calls a tool of an MCP server for a client. The price is reserved first, and charged if a result arrives that is no error,
 * whether or not the client is still there: the server works on a call from the moment at which it has it. The log row has
 * server, tool, duration and outcome, never arguments or results.
 */
import { reasonOf } from "@gateway/shared/reasons";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Usage } from "#dialects/ir.ts";
import { type ActivePrice, computePoints, toolPrefix } from "#domain/pricing/pricing.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import { GatewayError } from "#errors.ts";
import { abortSignalOf } from "#platform/http/cancellation.ts";
import { CallBill } from "#relay/core/billing/call-bill.ts";
import type { CachedCall, PlannedCall, ReceivedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** The tool of bills. Its price is that of the tool that was called. */
const billedTool = "mcp";

const oneCall: Usage = { input: 0, output: 0, toolCalls: { [billedTool]: 1 } };

/** The most that a tool call can use. */
export const toolCallEstimate: ReceivedCall["estimate"] = oneCall;

/** Returns the name of a tool in the log, in place of a model. */
export function toolLogName(server: string, tool: string): string {
  return `mcp/${server}/${tool}`;
}

/**
 * Runs a tool call and charges it. Throws the errors that refuse any call, and those of `run`.
 * @param dollars price of the call, decimal
 */
export async function relayToolCall(
  services: RelayServices,
  received: ReceivedCall,
  dollars: string,
  run: (signal: AbortSignal) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const bill = new CallBill(services, received);
  try {
    services.drains.requireFew(received.caller.userId);
    const planned = planToolCall(services, received, dollars);
    const served: CachedCall = { planned: planned.call, terms: planned.terms, byGateway: true };
    bill.serveCached(served);
    // Watch before reserving, so that a change in between is noticed by the watch or by the reservation.
    bill.connection.open();
    await bill.reserve(planned.call);
    return await runCharged(services, bill, served, run);
  } catch (error) {
    await bill.fail(error);
    throw error;
  }
}

async function runCharged(
  services: RelayServices,
  bill: CallBill,
  served: CachedCall,
  run: (signal: AbortSignal) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const { connection } = bill;
  const goneBefore = connection.gone();
  if (goneBefore !== undefined) throw goneBefore;
  const charged = {
    routed: served,
    reported: oneCall,
    final: true,
    delivered: { narrow: 0, wide: 0 },
  } as const;
  // The result of a call with a price is awaited for a client that leaves; a free call is cancelled.
  if (served.planned.plan.worstCase > 0n) connection.sent();
  try {
    const result = await run(abortSignalOf(connection.signal));
    if (connection.revoked !== undefined) throw connection.revoked;
    connection.answered(200, {});
    bill.attempts.receiveByte();
    if (result.isError === true)
      await bill.pass({ outcome: "complete", status: 200, content: reasonOf("mcpToolError") });
    else await bill.settle({ ...charged, outcome: "complete" });
    return result;
  } catch (error) {
    // No one learns what the server has done for a client that cut the call off.
    const isCutOff = connection.isCut || (connection.revoked !== undefined && !connection.isInterrupted);
    if (isCutOff && connection.reach === "sent")
      await bill.settle({ ...charged, outcome: "client-left" }).catch(services.onError);
    throw connection.gone() ?? error;
  }
}

function planToolCall(
  { groups }: RelayServices,
  received: ReceivedCall,
  dollars: string,
): { call: PlannedCall; terms: CachedCall["terms"] } {
  const { caller, model, estimate } = received;
  const groupRatio = ratioOf(groups, caller);
  const price: ActivePrice = {
    model,
    versionId: 0,
    type: "tokens",
    input: "0",
    output: "0",
    extras: { [toolPrefix + billedTool]: dollars },
    tiers: [],
  };
  const worstCase = computePoints(price, groupRatio, oneCall);
  return {
    call: { received, model, plan: { routeGroups: [], prices: new Map(), worstCase, estimate } },
    terms: { group: caller.group, backup: false, groupRatio, upstreamModel: "", billedModel: model, price },
  };
}

function ratioOf(groups: RelayServices["groups"], { group, userGroup }: Caller): string {
  const found = groups.get(group);
  // Checked at every use: the group may have been disabled since the token was created.
  if (found === undefined || !found.enable || (!found.public && group !== userGroup))
    throw new GatewayError("group_not_allowed", { reason: "group_not_for_key", group });
  return found.ratio;
}
