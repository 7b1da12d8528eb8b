/** Scripted sessions of a coding agent, as a client without marks for the prompt cache sends them. */

export const TURNS = 60;
export const SYSTEM_BYTES = 60_000;
export const ANSWER_BYTES = 800;
/** Bytes of the tools' results, repeated: a short command, a listing, a file, a search. */
export const RESULT_BYTES = [400, 2_400, 14_000, 1_200, 6_000, 800];

/** Requests to Messages, in order. */
type Session = Record<string, unknown>[];

/** The same session in variants that move the end of the part that stays the same. */
export function longSessions(): Record<string, Session> {
  const bodies: Session[] = [[], [], []];
  let messages: object[] = [];
  const common = { max_tokens: 300, tools: [tool], system: textOf("system", SYSTEM_BYTES) };
  let shortened: object[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const result = {
      role: "user",
      content: textOf(`result ${turn}`, RESULT_BYTES[turn % RESULT_BYTES.length] ?? 0),
    };
    const answer = { role: "assistant", content: textOf(`answer ${turn}`, ANSWER_BYTES) };
    messages = [...messages, result];
    shortened =
      turn === TURNS / 2 ? [{ role: "user", content: textOf("summary", 8_000) }] : [...shortened, result];
    const reminder = { role: "user", content: `${turn} of ${TURNS} turns are over.` };
    bodies[0]?.push({ ...common, messages });
    bodies[1]?.push({ ...common, messages: [...messages, reminder] });
    bodies[2]?.push({ ...common, messages: shortened });
    messages = [...messages, answer];
    shortened = [...shortened, answer];
  }
  return {
    "only continued": bodies[0] ?? [],
    "with a changing end": bodies[1] ?? [],
    "shortened once": bodies[2] ?? [],
  };
}

const tool = {
  name: "run",
  description: "Runs a command.",
  input_schema: { type: "object", properties: {} },
};

/** Returns a text of this length that begins with its name. */
export function textOf(name: string, bytes: number): string {
  return `${name} `.padEnd(bytes, "lorem ipsum dolor sit amet ");
}
