/** The first question of a stored request, of any dialect. Pure. */
import { z } from "zod";

const LONGEST = 120;
/** Characters of a text that are looked at. */
const READ = 4_000;

const Part = z.looseObject({ text: z.string().optional() });
const Content = z.union([z.string().transform((text) => [{ text }]), z.array(Part)]);
const Turn = z.looseObject({
  role: z.string().optional(),
  content: Content.optional().catch(undefined),
  parts: Content.optional().catch(undefined),
});
const Turns = z.array(Turn.catch({}));
const RequestBody = z.looseObject({
  messages: Turns.optional().catch(undefined),
  contents: Turns.optional().catch(undefined),
  input: z
    .union([z.string().transform((content) => [{ role: "user", content: [{ text: content }] }]), Turns])
    .optional()
    .catch(undefined),
});

/** A text in a body that was cut: what follows its key, up to the closing quotation mark. */
const cutText = /"(?:text|content)"\s*:\s*("(?:[^"\\]|\\.)*")/g;

/** Returns the first text of the user in one line; "" when the body has none. */
export function firstQuestionOf(body: string): string {
  const texts = textsOf(body) ?? textsOfCutBody(body);
  return texts.map(toTitle).find((title) => title !== "") ?? "";
}

/** Returns the texts of the user; undefined for a body that is not complete JSON. */
function textsOf(body: string): string[] | undefined {
  const parsed = RequestBody.safeParse(parseJson(body));
  if (!parsed.success) return undefined;
  const { messages, contents, input } = parsed.data;
  return (messages ?? contents ?? input ?? [])
    .filter(({ role }) => role === undefined || role === "user")
    .flatMap(({ content, parts }: z.infer<typeof Turn>) => content ?? parts ?? [])
    .flatMap(({ text }) => text ?? []);
}

function textsOfCutBody(body: string): string[] {
  const start = body.search(/"role"\s*:\s*"user"/);
  if (start < 0) return [];
  return [...body.slice(start).matchAll(cutText)].flatMap(([, quoted = ""]) => {
    const text = parseJson(quoted);
    return typeof text === "string" ? text : [];
  });
}

/** Agents add texts in tags for the model, such as `<system-reminder>`. They are no question. */
function toTitle(text: string): string {
  const line = text
    .slice(0, READ)
    .replace(/<([a-z][\w-]*)>[^]*?(?:<\/\1>|$)/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).trimEnd()}…`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
