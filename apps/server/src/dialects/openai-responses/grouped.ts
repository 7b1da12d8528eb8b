/**
 * Grouped tools, which only the Responses API has: agents call `sleep` of `clock`. Other dialects use one
 * flat name. A model's call with the flat name is returned to the client as group and name.
 */
import { trimEndOf } from "@gateway/shared/trim-end";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import type { Tool } from "#dialects/ir.ts";
import { listOf } from "#dialects/list-of.ts";
import { ownFields } from "#dialects/wire.ts";

export const group = z.looseObject({
  type: z.literal("namespace"),
  name: z.string().min(1),
  description: z.string().nullish(),
  tools: listOf(z.looseObject({ type: z.string() })),
});

const place = z.object({ namespace: z.string(), name: z.string(), description: z.string().nullish() });

/** Group of all tools without a group. */
const rootGroup = "functions";
/** Maximum length of a tool name at providers. */
const maxName = 64;

/**
 * Combines group and name. The same pair always gives the same name, so that the history matches the tools.
 */
export function flatName(namespace: unknown, name: string): string {
  if (typeof namespace !== "string" || namespace === "" || namespace === rootGroup) return name;
  const flat = `${trimEndOf(namespace, "_")}__${name}`.replaceAll(/[^\w-]/g, "_");
  return flat.length > maxName ? name : flat;
}

export function groupedTool(tool: Tool, { name, description }: z.infer<typeof group>): Tool {
  const fields = { namespace: name, name: tool.name, description };
  const grouped = { dialect: "openai-responses" as const, fields };
  return { ...tool, name: flatName(name, tool.name), grouped };
}

export function placeOf(tool: Tool): z.infer<typeof place> | undefined {
  return place.safeParse(ownFields("openai-responses", tool.grouped)).data;
}

/** Puts grouped tools back into their groups. Each group takes the position of its first tool. */
export function regroupTools(tools: Array<{ tool: Tool; wire: Wire }>): Wire[] {
  const groups = new Map<string, Wire[]>();
  const list: Wire[] = [];
  for (const { tool, wire } of tools) {
    const { namespace, name, description } = placeOf(tool) ?? {};
    if (namespace === undefined) {
      list.push(wire);
      continue;
    }
    let members = groups.get(namespace);
    if (members === undefined) {
      members = [];
      groups.set(namespace, members);
      list.push({ type: "namespace", name: namespace, description: description ?? "", tools: members });
    }
    members.push({ ...wire, name });
  }
  return list;
}
