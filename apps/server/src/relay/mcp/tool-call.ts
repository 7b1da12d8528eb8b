/**
 * Calls a tool of an MCP server for a client. The price is reserved first, and charged only if a result arrives that is no
 * error. The log row has server, tool, duration and outcome, never arguments or results.
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
    const planned = planToolCall(services, received, dollars);
    const terms = planned.terms;
    const served: CachedCall = { planned: planned.call, terms, byGateway: true };
    bill.serveCached(served);
    await bill.reserve(planned.call);
    bill.connection.open();
    const result = await runWatched(bill, run);
    bill.connection.answered(200, {});
    bill.attempts.receiveByte();
    if (result.isError === true)
      await bill.pass({ outcome: "complete", status: 200, content: reasonOf("mcpToolError") });
    else
      await bill.settle({
        routed: served,
        outcome: "complete",
        reported: oneCall,
        delivered: { narrow: 0, wide: 0 },
      });
    return result;
  } catch (error) {
    await bill.fail(error);
    throw error;
  }
}

async function runWatched(
  { connection }: CallBill,
  run: (signal: AbortSignal) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    const result = await run(abortSignalOf(connection.signal));
    const gone = connection.gone();
    if (gone !== undefined) throw gone;
    return result;
  } catch (error) {
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
