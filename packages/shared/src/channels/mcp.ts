/** Remote MCP servers, and the bundles in which clients reach them at `/mcp/<bundle>`. */
import { z } from "zod";
import { because } from "#errors/issue.ts";
import { queryInt, UnixTime } from "#paging.ts";

/** Most servers and bundles of a gateway, servers of a bundle, and entries of a list of tools. */
export const MOST_MCP_SERVERS = 200;
export const MOST_MCP_BUNDLES = 100;
export const MOST_SERVERS_OF_BUNDLE = 20;
const MOST_PATTERNS = 200;

const Id = z.int().min(1).max(2_147_483_647);

/** Without underscores, because tools are named `<server>__<tool>`. */
const Slug = z
  .string()
  .trim()
  .min(1, because("identifier_required"))
  .max(32)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, because("slug_characters"));

const text = (most: number) => z.string().trim().max(most);

/** Name of a tool at its server. */
const McpToolName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_.-]{1,100}$/, because("mcp_tool_name"));

/** Name of a tool as clients see it, `<server>__<tool>`; `*` stands for any characters. */
const McpToolPattern = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_.*-]{1,140}$/, because("mcp_tool_pattern"))
  .refine((pattern) => pattern.split("*").length <= 5, because("mcp_tool_pattern"));
const Patterns = z.array(McpToolPattern).max(MOST_PATTERNS).default([]);

const Dollars = z.number().min(0, because("number_from_zero")).max(1_000).multipleOf(0.000001);

const McpToolPrice = z.object({ tool: McpToolName, price: Dollars });
export const McpToolPrices = z.array(McpToolPrice).max(MOST_PATTERNS);

const Address = text(500)
  .min(1, because("value_required"))
  .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/i, because("not_web_address"));

/** Headers that the gateway sets itself, or that would change where a request goes. */
const reserved =
  /^(?:host|content-.*|accept.*|connection|transfer-encoding|te|upgrade|expect|keep-alive|mcp-.*|cookie|proxy-.*|sec-.*|forwarded|x-forwarded-.*)$/i;
const HeaderName = text(64)
  .regex(/^[A-Za-z0-9-]{1,64}$/, because("mcp_header"))
  .refine((name) => !reserved.test(name), because("mcp_header"));

/** A header's value: visible characters and spaces. */
const Credential = text(4_000).regex(/^[\u0020-\u007E]*$/, because("mcp_credential"));

const server = {
  name: Slug,
  description: text(500).default(""),
  url: Address,
  enabled: z.boolean().default(true),
  /** The address may be in a private network. Only root may allow it. */
  private_address: z.boolean().default(false),
  /** Header that contains the stored credential. */
  header: HeaderName.default("Authorization"),
  timeout_seconds: z.int(because("number_whole")).min(1).max(600).default(60),
  /** US dollars per call, before the ratio of the group. */
  price: Dollars.default(0),
  /** Prices of single tools, instead of the price of the server. */
  tool_prices: McpToolPrices.default([]),
};

/** Body of POST /api/mcp_server. */
export const McpServerInput = z.object({
  ...server,
  /** Whole value of the header, for example `Bearer …`; "" = none. */
  credential: Credential.default(""),
});
export type McpServerInput = z.output<typeof McpServerInput>;

/** Body of PUT /api/mcp_server. An empty credential keeps the stored one. */
export const McpServerChange = z.object({
  id: Id,
  ...server,
  credential: Credential.default(""),
  /** Deletes the stored credential. */
  drop_credential: z.boolean().default(false),
});
export type McpServerChange = z.output<typeof McpServerChange>;

/** A server in responses. Its credential is never sent. */
export const McpServerRow = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  url: z.string(),
  enabled: z.boolean(),
  private_address: z.boolean(),
  header: z.string(),
  has_credential: z.boolean(),
  timeout_seconds: z.int(),
  price: z.number(),
  tool_prices: McpToolPrices,
  created_time: UnixTime,
});
export type McpServerRow = z.infer<typeof McpServerRow>;

const bundle = {
  name: Slug,
  description: text(500).default(""),
  enabled: z.boolean().default(true),
  /** Symbols of groups whose tokens may use it; empty = all. */
  groups: z.array(text(50).min(1)).max(200).default([]),
  /** Ids of servers. */
  servers: z.array(Id).max(MOST_SERVERS_OF_BUNDLE).default([]),
  /** Tools that clients see; empty = all. */
  allow: Patterns,
  /** Tools that clients do not see, also if they are allowed. */
  deny: Patterns,
};

/** Body of POST /api/mcp_bundle. */
export const McpBundleInput = z.object(bundle);
export type McpBundleInput = z.output<typeof McpBundleInput>;

/** Body of PUT /api/mcp_bundle. */
export const McpBundleChange = z.object({ id: Id, ...bundle });
export type McpBundleChange = z.output<typeof McpBundleChange>;

export const McpBundleRow = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  groups: z.array(z.string()),
  servers: z.array(z.int()),
  allow: z.array(z.string()),
  deny: z.array(z.string()),
  created_time: UnixTime,
});
export type McpBundleRow = z.infer<typeof McpBundleRow>;

/** A bundle as users see it who may give it to a token. */
export const UsableMcpBundle = z.object({
  name: z.string(),
  description: z.string(),
  /** Names of its servers, the prefixes of its tools. */
  servers: z.array(z.string()),
});
export type UsableMcpBundle = z.infer<typeof UsableMcpBundle>;

/** Query of GET /api/token/admin/mcp_bundle: the owner of the token. */
export const UsableMcpBundleQuery = z.object({ user_id: queryInt(Id) });
export type UsableMcpBundleQuery = z.output<typeof UsableMcpBundleQuery>;

/** What a token may use of MCP. */
export const McpTokenLimits = z.object({
  /** Names of bundles; empty = all of its group. */
  bundles: z.array(Slug).max(MOST_MCP_BUNDLES).default([]),
  allow: Patterns,
  deny: Patterns,
});
export type McpTokenLimits = z.output<typeof McpTokenLimits>;
