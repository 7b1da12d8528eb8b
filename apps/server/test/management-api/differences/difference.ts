import type { Audit, Method, Row } from "#test/management-api/audit.ts";

/** A deliberate difference from One Hub. `check` proves what is stated under `here`. */
export interface Difference {
  call: string;
  oneHub: string;
  here: string;
  check(audit: Audit): Promise<void>;
}

/** Makes a channel, and returns its row. */
export async function makeChannel({ ok, root, page }: Audit, name: string, more: object = {}): Promise<Row> {
  await ok(root, "POST", "/channel/", {
    type: 1,
    name,
    key: "sk-a",
    models: "gpt-4o",
    group: "default",
    ...more,
  });
  const [row] = page("channels", (await ok(root, "GET", `/channel/?name=${name}&order=-id`)).data);
  return row ?? { id: 0 };
}

export async function makeUser({ site }: Audit, role = 1): Promise<Row> {
  const { id, username } = await site.makeUser({ role });
  return { id, username };
}

/** Sends a call that is accepted, and checks what its message names. */
export async function names(
  audit: Audit,
  method: Method,
  url: string,
  body: object,
  words: string[],
): Promise<void> {
  const { json } = await audit.ok(audit.root, method, url, body);
  const message = String(json["message"]);
  audit.same(
    `${method} ${url}: ${message}`,
    words.filter((word) => !message.includes(word)),
    [],
  );
}
