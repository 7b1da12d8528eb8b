/** Recognises what was pasted into the palette. Pure. */
import { lookupTable } from "@gateway/shared/lookup-table";

/** Beginnings of ids that gateways and providers give to requests and responses. */
const idBeginnings = /^(req|request|resp|msg|chatcmpl|cmpl|call|gen|run|batch|session|sess|trace)[-_]/i;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** Format of request ids, made by the gateway or sent by clients. */
const requestId = /^(?=.*\d)[\w-]{16,64}$/;
const keyBeginnings = /^([a-z]{1,12}\d?[-_]|AIza|AKIA|dapi|eyJ|LLM\||bce-v3\/)/i;

/**
 * Returns whether the text is a provider key: "yes" for the form of a known key, "perhaps" for a long random word that
 * may also be a request id. Such text must not be sent as a search.
 */
export function isProviderKey(text: string): "yes" | "perhaps" | "no" {
  if (text.startsWith("{")) return text.includes("private_key") ? "yes" : "no";
  if (/\s/.test(text) || text.length < 20 || idBeginnings.test(text)) return "no";
  if (new RegExp(`^${uuid.source}$`, "i").test(text)) return "no";
  const longest = text
    .split(/[^a-z0-9]+/i)
    .reduce((best, run) => (run.length > best.length ? run : best), "");
  const isRandom = /\d/.test(longest) && /[a-z]/i.test(longest);
  if (!isRandom || longest.length < 16) return "no";
  if (keyBeginnings.test(text) || text.includes("|")) return "yes";
  return longest.length >= 20 ? "perhaps" : "no";
}

/** Returns whether the text may be sent to the server as a search. Keys, and text that contains one, may not. */
export function isSearchable(text: string): boolean {
  if (/^\s*(curl\s|\{)/.test(text)) return false;
  return text.split(/[\s"'`,;:=]+/).every((word) => isProviderKey(word) === "no");
}

/** Returns the request id of the text: the whole text, or an id within an error message. */
export function requestIdIn(text: string): string | undefined {
  if (isProviderKey(text) === "yes") return undefined;
  if (requestId.test(text)) return text;
  return /\s/.test(text) ? uuid.exec(text)?.[0] : undefined;
}

export type CurlRequest = { url: string; body: string };

/** Options of curl that send their value as the body. */
const dataOptions = /^(-d|--data|--data-raw|--data-binary|--data-ascii|--json)$/;
/** Options of curl whose value is of no interest, such as a key in a header. */
const valueOptions = /^(-[HXuAebomxF]|--(header|request|user|user-agent|cookie|output|max-time|proxy|form))$/;

/** Returns the request of a curl command; undefined for other text. Headers, and so the key, are dropped. */
export function readCurl(text: string): CurlRequest | undefined {
  const [command, ...args] = splitShell(text);
  if (command !== "curl") return undefined;
  let url = "";
  let body = "";
  for (let place = 0; place < args.length; place += 1) {
    const word = args[place] ?? "";
    if (dataOptions.test(word)) body = args[++place] ?? "";
    else if (word === "--url") url = args[++place] ?? "";
    else if (valueOptions.test(word)) place += 1;
    else if (word.startsWith("-d{")) body = word.slice(2);
    else if (!word.startsWith("-") && word.trim() !== "") url = word;
  }
  return url === "" ? undefined : { url, body };
}

const escapes = lookupTable<string>({ n: "\n", t: "\t", r: "\r" });

/** Splits a shell command into words. Variables stay as they are. */
function splitShell(text: string): string[] {
  const word = /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gs;
  const part = /\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+?)/gs;
  return [...text.matchAll(word)].map(([found]) =>
    [...found.matchAll(part)]
      .map(([, ansi, single, double, escaped, plain]) => {
        if (ansi !== undefined) return ansi.replaceAll(/\\(.)/gs, (_, each: string) => escapes[each] ?? each);
        if (double !== undefined) return double.replaceAll(/\\([\\"$`\n])/g, "$1");
        // A line break that the field removed leaves its backslash.
        if (escaped !== undefined) return /\s/.test(escaped) ? "" : escaped;
        return single ?? plain ?? "";
      })
      .join(""),
  );
}
