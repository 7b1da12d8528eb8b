import type { Json } from "./json.ts";

/** Fields of a multipart form as JSON; a file is described by name, type and size. */
export async function formFields(type: string, bytes: Buffer<ArrayBuffer>): Promise<Json> {
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  return Object.fromEntries(
    [...form.entries()].map(([name, value]) => {
      if (typeof value === "string") return [name, value];
      return [name, { name: value.name, type: value.type, bytes: value.size }];
    }),
  );
}
