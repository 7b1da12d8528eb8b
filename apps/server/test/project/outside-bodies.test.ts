import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const sources = join(import.meta.dirname, "../../src");

/** What bounds a body from elsewhere: where the file says it, or why nothing is needed. */
type Bound = RegExp | string;

const passedIn = "of the fetch that is passed in";
const trusted = "a library that reads the key of one cloud, whose address is not configurable";

/** Every file that sends requests to other servers, and what bounds the size and the time of their responses. */
const places: Readonly<Record<string, { size: Bound; time: Bound }>> = {
  "diagnostics/public-address.ts": {
    size: /text\.length > 10_000/,
    time: /AbortSignal\.timeout\(patienceMs\)/,
  },
  "domain/accounts/sign-in/person-check.ts": { size: passedIn, time: /AbortSignal\.timeout\(/ },
  "domain/web-search/web-search.ts": { size: passedIn, time: /AbortSignal\.timeout\(/ },
  "migration/sources/mysql.ts": { size: "a database, read row by row", time: /connectTimeout/ },
  "platform/http/http.ts": { size: /limits = request\.limits/, time: /headersTimeout.*\n.*bodyTimeout/ },
  "platform/http/proxy.ts": { size: "opens connections only", time: /connectTimeout/ },
  "platform/http/public-fetch.ts": {
    size: /maxResponseSize: maxBytes/,
    time: /AbortSignal\.timeout\(timeoutMs\)/,
  },
  "platform/http/web-socket.ts": { size: /maxPayload/, time: /headersTimeout/ },
  "platform/key-sources/aws-keys.ts": { size: trusted, time: /requestTimeout/ },
  "platform/key-sources/azure-identity.ts": { size: trusted, time: "of read-key.ts, which ends the wait" },
  "platform/key-sources/google-identity.ts": { size: trusted, time: /timeout: 10_000/ },
  "platform/key-sources/vault-request.ts": { size: /MAX_RESPONSE_BYTES/, time: /signal: AbortSignal/ },
  "platform/mail.ts": { size: "replies of a mail server are lines", time: /STEP_MS/ },
  "platform/storage/s3.ts": { size: /maxResponseSize: answerBytes/, time: /headersTimeout.*\n.*bodyTimeout/ },
  "relay/mcp/limited-fetch.ts": { size: /MOST_RESPONSE_BYTES/, time: /AbortSignal\.timeout\(timeoutMs\)/ },
  "sign-in/ask.ts": { size: passedIn, time: /AbortSignal\.timeout\(/ },
  "sign-in/github.ts": {
    size: "one address of GitHub, which is not configurable",
    time: /timeout: TIMEOUT_MS/,
  },
  "sign-in/oidc-client.ts": { size: passedIn, time: /timeout: TIMEOUT_SECONDS/ },
};

/** Values of undici and Node that send requests, libraries that do, and calls of `fetch`. */
const senders = [
  /import \{[^}]*\b(?:Agent|Client|Pool|ProxyAgent|request|fetch)\b[^}]*\} from "undici"/,
  /import \{[^}]*\brequest\b[^}]*\} from "node:https?"/,
  /import \{[^}]*\bconnect\b[^}]*\} from "node:tls"/,
  /from "(?:s3mini|openid-client)"/,
  /import\("(?:nodemailer|mysql2|@aws-sdk\/[\w-]+|@azure\/msal-node|google-auth-library|@fastify\/oauth2)"\)/,
  /await fetch\(/,
];

/** Returns the source without comments and imports of types. */
function codeOf(file: string): string {
  return readFileSync(join(sources, file), "utf8")
    .replaceAll(/import type [^;]+;/g, "")
    .replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, "");
}

it("every place that reads a body from another server bounds its size and its time", () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("platform/prisma"),
  );
  const sending = files.filter((file) => senders.some((sender) => sender.test(codeOf(file))));
  expect(sending.toSorted()).toEqual(Object.keys(places).toSorted());
  for (const [file, bounds] of Object.entries(places))
    for (const bound of Object.values(bounds))
      if (bound instanceof RegExp) expect(codeOf(file), `${file} without ${String(bound)}`).toMatch(bound);
});
