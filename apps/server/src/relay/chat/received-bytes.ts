/**
 * Changes of a request on its received bytes, so that everything else stays as the client has sent it and nothing is
 * serialized again: a body of a megabyte takes milliseconds. Pure.
 */
import type { Wire } from "#dialects/dialect.ts";

type Serialize = (value: unknown) => string | Buffer;

/**
 * Returns the received bytes with the changes between two bodies: added fields, and other elements in the lists of a
 * field. Undefined where anything else was changed, or a place cannot be found for certain.
 * @param body the received bytes as they were parsed
 * @param added fields that the changed body may have more
 */
export function withChanges(
  raw: Buffer,
  body: Wire,
  changed: Wire,
  { added = {}, serialize }: { added?: Wire | undefined; serialize: Serialize },
): Buffer | undefined {
  const names = Object.keys(body);
  const more = Object.keys(changed).length - names.length;
  if (more > 0 && !isAdded(body, changed, added, more)) return undefined;
  const edits = more < 0 ? undefined : editsOf(raw, body, changed, serialize);
  if (edits === undefined) return undefined;
  if (more > 0) {
    const start = raw.indexOf("{") + 1;
    edits.push({ start, end: start, bytes: Buffer.from(`${JSON.stringify(added).slice(1, -1)},`) });
  }
  return applyEdits(raw, edits);
}

function isAdded(body: Wire, changed: Wire, added: Wire, more: number): boolean {
  const names = Object.keys(added);
  const isNew = (name: string) => !(name in body) && changed[name] === added[name];
  return names.length === more && names.every(isNew) && Object.keys(body).length > 0;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

function editsOf(raw: Buffer, body: Wire, changed: Wire, serialize: Serialize): Edit[] | undefined {
  const edits: Edit[] = [];
  for (const name of Object.keys(body)) {
    const [before, after] = [body[name], changed[name]];
    if (before === after) continue;
    const isList = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
    // A text that became a list of blocks is one change.
    const pairs = isList
      ? before.flatMap((each: unknown, at) => (each === after[at] ? [] : [[each, after[at] as unknown]]))
      : typeof before === "string" && Array.isArray(after)
        ? [[before, after]]
        : undefined;
    if (pairs === undefined) return undefined;
    for (const [old, next] of pairs) {
      const edit = editOf(raw, serialize(old), serialize(next));
      if (edit === undefined) return undefined;
      edits.push(edit);
    }
  }
  return edits;
}

/** Returns the place of a value that occurs exactly once, as it would be serialized here. */
function editOf(raw: Buffer, old: string | Buffer, next: string | Buffer): Edit | undefined {
  const start = raw.lastIndexOf(old);
  if (start < 0 || raw.indexOf(old) !== start) return undefined;
  return { start, end: start + Buffer.byteLength(old), bytes: Buffer.from(next) };
}

function applyEdits(raw: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, bytes } of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(raw.subarray(at, start), bytes);
    at = end;
  }
  return Buffer.concat([...parts, raw.subarray(at)]);
}
