/**
 * Calls a tool of an MCP server for a client. It is charged if a result arrives that is no error: the server works on a
 * call from the moment at which it has it. The log row has server, tool, duration and outcome, never arguments or results.
 */
import { reasonOf } from "@gateway/shared/reasons";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Usage } from "#dialects/ir.ts";
import { type ActivePrice, computePoints, toolPrefix } from "#domain/pricing/pricing.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import { GatewayError } from "#errors.ts";
import type { CachedCall, ReceivedCall } from "#relay/core/call.ts";
import { serveByGateway } from "#relay/core/gateway-service.ts";
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
export function relayToolCall(
  services: RelayServices,
  received: ReceivedCall,
  dollars: string,
  run: (signal: AbortSignal) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return serveByGateway(services, received, {
    plan: () => planToolCall(services, received, dollars),
    async run(signal) {
      const answer = await run(signal);
      return answer.isError === true
        ? { answer, used: undefined, reason: reasonOf("mcpToolError") }
        : { answer, used: oneCall };
    },
  });
}

function planToolCall(
  { groups }: RelayServices,
  received: ReceivedCall,
  dollars: string,
): Pick<CachedCall, "planned" | "terms"> {
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
    planned: { received, model, plan: { routeGroups: [], prices: new Map(), worstCase, estimate } },
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
