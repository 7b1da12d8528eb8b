import type { Json } from "./json.ts";

/** File contents by their descriptions. The log of calls shows only the descriptions. */
const contents = new WeakMap<object, Buffer>();

export function contentOf(file: unknown): Buffer | undefined {
  return typeof file === "object" && file !== null ? contents.get(file) : undefined;
}

/** Returns the fields of a multipart form as JSON. A file is described by name, type and size. */
export async function formFields(type: string, bytes: Buffer<ArrayBuffer>): Promise<Json> {
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const entries = [...form.entries()].map(async ([name, value]) => {
    if (typeof value === "string") return [name, value];
    const described = { name: value.name, type: value.type, bytes: value.size };
    contents.set(described, Buffer.from(await value.arrayBuffer()));
    return [name, described];
  });
  return Object.fromEntries(await Promise.all(entries)) as Json;
}
