import { GatewayError, internalError } from "#errors.ts";
import { ImportRefusal } from "./refusal.ts";
import type { RunFailure } from "./runs.ts";

/** Describes for the console why a run failed, without paths of this server. Reports what is no refusal. */
export function failureOf(error: unknown, onError: (error: unknown) => void): RunFailure {
  if (error instanceof ImportRefusal) return describeFailure("conflict", error.facts, error.message);
  if (error instanceof GatewayError) return describeFailure(error.code, error.params, error.message);
  onError(error);
  const { code, params, message } = internalError(error);
  const why = error instanceof Error ? error.message.slice(0, 500) : "";
  return describeFailure(code, params, `${message} ${why}`.trim());
}

function describeFailure(code: RunFailure["code"], params: object | undefined, message: string): RunFailure {
  const texts = Object.entries(params ?? {}).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "string" ? withoutFolders(value) : value,
  ]);
  return {
    code,
    params: Object.fromEntries(texts) as RunFailure["params"],
    message: withoutFolders(message),
  };
}

/** An absolute path with at least one folder, in a sentence. Paths of URLs follow a host. */
const filePath = /(?<![\w.:/@\]-])\/(?:[^\s/'"`,;:)]+\/)+([^\s/'"`,;:)]+)/g;

/** Returns the text with only the names of files: a path tells readers where this server keeps its data. */
function withoutFolders(text: string): string {
  return text.replace(filePath, "$1");
}
