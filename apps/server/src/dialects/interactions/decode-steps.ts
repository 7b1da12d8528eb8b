/** Decodes the input of an interaction: a text, contents, steps, or the turns of older versions. */
import { append } from "#dialects/append.ts";
import type { Wire } from "#dialects/dialect.ts";
import type { Message, Part, Role } from "#dialects/ir.ts";
import { unpackCallProof, unpackProof } from "#dialects/reasoning/proof.ts";
import { asRecord, compact, parseAt } from "#dialects/wire.ts";
import { decodeContent } from "./decode-content.ts";
import { contents, inputType, type InteractionRequest, steps, turn } from "./schema.ts";

const isContent = ({ type }: Wire) => typeof type === "string" && Object.hasOwn(contents, type);

const decodeContents = (list: readonly Wire[], at: string) =>
  list.map((each, index) => decodeContent(each, `${at}.${index}`));

/** Decodes a result: contents, or any other value as JSON text. */
function decodeResult(result: unknown, at: string): Part[] {
  if (typeof result === "string") return [{ type: "text", text: result }];
  const list = Array.isArray(result) ? result.map(asRecord) : [undefined];
  const known = list.filter((each) => each !== undefined && isContent(each)) as Wire[];
  if (known.length === list.length) return decodeContents(known, at);
  return [{ type: "text", text: JSON.stringify(result) }];
}

/** Code that Google ran, in the form of its other API. Other providers receive it as text. */
function decodeCode(wire: Wire, type: "code_execution_call" | "code_execution_result", at: string): Part {
  if (type === "code_execution_call") {
    const { arguments: given } = parseAt(steps[type], wire, at);
    const code = given?.code ?? "";
    const language = (given?.language ?? "python").toUpperCase();
    const fields = { executableCode: { language, code } };
    return codePart(fields, `\`\`\`\n${code}\n\`\`\``);
  }
  const { result, is_error: failed } = parseAt(steps[type], wire, at);
  const output = typeof result === "string" ? result : JSON.stringify(result ?? "");
  const outcome = failed === true ? "OUTCOME_FAILED" : "OUTCOME_OK";
  const fields = { codeExecutionResult: { outcome, output } };
  return codePart(fields, output);
}

function codePart(fields: Wire, text: string): Part {
  return { type: "foreign", extra: { dialect: "gemini", fields }, fallback: [{ type: "text", text }] };
}

function decodeFunctionResult(wire: Wire, at: string): Part {
  const { call_id: callId, name, result, is_error: failed } = parseAt(steps.function_result, wire, at);
  return {
    type: "tool-result",
    callId,
    ...(name && { name }),
    parts: decodeResult(result, `${at}.result`),
    ...(failed === true && { isError: true }),
  };
}

interface DecodedStep {
  role: Role;
  parts: Part[];
}

/** Returns nothing for a step that no other format has. */
function decodeStep(wire: Wire, at: string): DecodedStep[] {
  const { type } = parseAt(inputType, wire, at);
  if (isContent(wire)) return [{ role: "user", parts: [decodeContent(wire, at)] }];
  switch (type) {
    case "user_input":
    case "model_output": {
      const { content } = parseAt(steps[type], wire, at);
      const role = type === "user_input" ? "user" : "assistant";
      return (content ?? []).flatMap((each, index) => decodeInside(each, role, `${at}.content.${index}`));
    }
    case "thought": {
      const { signature, summary } = parseAt(steps.thought, wire, at);
      const text = (summary ?? []).flatMap((each) => each.text ?? []).join("\n\n");
      const proof = signature ? unpackProof(signature, "signature") : {};
      return [{ role: "assistant", parts: [compact<Part>({ type: "reasoning", text, ...proof })] }];
    }
    case "function_call": {
      const { id, name, arguments: given, signature } = parseAt(steps.function_call, wire, at);
      const input = JSON.stringify(given ?? {});
      const part: Part = { type: "tool-call", id, name, input, ...unpackCallProof(signature) };
      return [{ role: "assistant", parts: [part] }];
    }
    case "function_result":
      return [{ role: "tool", parts: [decodeFunctionResult(wire, at)] }];
    case "code_execution_call":
    case "code_execution_result":
      return [{ role: "assistant", parts: [decodeCode(wire, type, at)] }];
    default:
      return [];
  }
}

/** Decodes a member of a step's content. The Vercel AI SDK puts results of functions there. */
function decodeInside(wire: Wire, role: Role, at: string): DecodedStep[] {
  return wire["type"] === "function_result"
    ? decodeStep(wire, at)
    : [{ role, parts: [decodeContent(wire, at)] }];
}

function decodeTurn(wire: Wire, at: string): DecodedStep[] {
  const { role, content } = parseAt(turn, wire, at);
  const parts: Part[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : Array.isArray(content)
        ? decodeContents(content, `${at}.content`)
        : [decodeContent(content, `${at}.content`)];
  return [{ role: role === "user" ? "user" : "assistant", parts }];
}

/** Returns the messages. Consecutive steps of one role form one message. */
export function decodeInput(input: InteractionRequest["input"]): Message[] {
  if (typeof input === "string") return [{ role: "user", parts: [{ type: "text", text: input }] }];
  const list: Wire[] = Array.isArray(input) ? input : [input];
  const messages: Message[] = [];
  for (const [index, wire] of list.entries()) {
    const at = Array.isArray(input) ? `input.${index}` : "input";
    const isTurn = !wire["type"] && typeof wire["role"] === "string";
    for (const { role, parts } of isTurn ? decodeTurn(wire, at) : decodeStep(wire, at)) {
      const last = messages.at(-1);
      if (last?.role === role) append(last.parts, parts);
      else if (parts.length > 0) messages.push({ role, parts });
    }
  }
  return messages;
}
