/**
 * Tokens in One Hub's format: every response contains the key, and limits are off only when the request
 * disables them.
 */
import { can } from "@gateway/shared/accounts/roles";
import {
  NEVER_EXPIRES,
  TokenAdminQuery,
  type TokenAdminRow,
  TokenChange,
  TokenInput,
  TokenQuery,
  type TokenRow,
} from "@gateway/shared/accounts/token";
import { Page } from "@gateway/shared/paging";
import { z } from "zod";
import { sortableTokens } from "#console/accounts/tokens/tokens.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, RowId, sliceOf } from "#console/paging.ts";
import { validate } from "#console/validation.ts";
import { administerToken, searchTokens, switchAnyToken } from "#domain/tokens/administration.ts";
import { revealKey } from "#domain/tokens/keys.ts";
import {
  changeToken,
  createToken,
  describeToken,
  getToken,
  listTokens,
  playgroundKey,
  switchToken,
} from "#domain/tokens/tokens.ts";
import type { Token } from "#platform/prisma/client.ts";
import { isStatusOnly, oneHubBody } from "./plugin/older.ts";
import { type CompatCall, type CompatRoute, handleWith } from "./plugin/route.ts";

const given = TokenChange.shape.setting.unwrap().shape;
const OlderSetting = z.object({
  heartbeat: oneHubBody({
    enabled: z.boolean().default(false),
    timeout_seconds: z.int().default(0),
  }).nullish(),
  limits: z
    .object({
      limit_model_setting: oneHubBody({
        enabled: z.boolean().default(false),
        models: z.array(z.string()).default([]),
      }).nullish(),
      limits_ip_setting: oneHubBody({
        enabled: z.boolean().default(false),
        whitelist: z.array(z.string()).default([]),
      }).nullish(),
    })
    .nullish(),
  rates: given.rates,
  cache: given.cache,
  log_bodies: given.log_bodies,
  /** null means none. */
  billing_tag: z.string().trim().max(50).nullish(),
});
type OlderSetting = z.output<typeof OlderSetting>;

const name = z.string().trim().max(64);
const Created = oneHubBody({
  name: name.default(""),
  expired_time: TokenInput.shape.expired_time.unwrap().default(0),
  unlimited_quota: z.boolean().default(false),
  remain_quota: TokenInput.shape.remain_quota,
  group: TokenInput.shape.group,
  backup_group: TokenInput.shape.backup_group,
  setting: OlderSetting.default({}),
});
const change = {
  id: RowId,
  name: name.optional(),
  expired_time: TokenChange.shape.expired_time,
  unlimited_quota: TokenChange.shape.unlimited_quota,
  remain_quota: TokenChange.shape.remain_quota,
  group: TokenChange.shape.group,
  backup_group: TokenChange.shape.backup_group,
  setting: OlderSetting.optional(),
};
const Change = oneHubBody(change);
const AdminChange = oneHubBody({ ...change, user_id: z.int().min(0).optional() });
const Switch = oneHubBody({ id: RowId, status: z.union([z.literal(1), z.literal(2)]) });

const OlderToken = z.looseObject({
  id: z.int(),
  user_id: z.int(),
  key: z.string(),
  status: z.int(),
  name: z.string(),
  created_time: z.int(),
  accessed_time: z.int(),
  expired_time: z.int(),
  remain_quota: z.int(),
  unlimited_quota: z.boolean(),
  used_quota: z.int(),
  group: z.string(),
  backup_group: z.string(),
  setting: z.looseObject({
    heartbeat: z.object({ enabled: z.boolean(), timeout_seconds: z.int() }),
    limits: z.object({
      limit_model_setting: z.object({ enabled: z.boolean(), models: z.array(z.string()) }),
      limits_ip_setting: z.object({ enabled: z.boolean(), whitelist: z.array(z.string()) }),
    }),
    billing_tag: z.string().nullable().optional(),
  }),
});
const OlderTokens = Page(OlderToken);

function olderRow(row: TokenRow, key: string, seesTags: boolean): z.output<typeof OlderToken> {
  return {
    ...row,
    key: key.replace(/^sk-/, ""),
    accessed_time: row.accessed_time ?? row.created_time,
    setting: { ...row.setting, ...(seesTags ? { billing_tag: row.billing_tag || null } : {}) },
  };
}

/** Returns an own token with its key. Only its owner gets it. */
function ownRow(call: CompatCall, token: Token): z.output<typeof OlderToken> {
  const { role } = viewerOf(call.request);
  const row = describeToken(token, role, call.services.settings.current().TimeZone);
  return olderRow(row, revealKey(call.services.secrets, token), can(role, "seeBillingTag"));
}

/** Converts a setting. A disabled heartbeat may have any timeout: rows of One Hub contain 0. */
function nativeSetting(setting: OlderSetting): z.input<typeof TokenChange>["setting"] {
  const { heartbeat, limits, billing_tag: _tag, ...rest } = setting;
  const isOff = heartbeat?.enabled === false;
  return {
    ...rest,
    ...(heartbeat ? { heartbeat: isOff ? { ...heartbeat, timeout_seconds: 30 } : heartbeat } : {}),
    limits: {
      limit_model_setting: limits?.limit_model_setting ?? undefined,
      limits_ip_setting: limits?.limits_ip_setting ?? undefined,
    },
  };
}

function tagOf(call: CompatCall, setting: OlderSetting | undefined): { billing_tag?: string } {
  const tag = setting?.billing_tag;
  if (tag === undefined) return {};
  if (can(viewerOf(call.request).role, "seeBillingTag")) return { billing_tag: tag ?? "" };
  if (tag !== null && tag !== "") call.note("setting.billing_tag was ignored: your account may not set it.");
  return {};
}

/** Validates with the native schema, so that its limits and messages apply here too. */
function nativeChange(call: CompatCall, change: Omit<z.output<typeof Change>, "id">) {
  const { setting, ...rest } = change;
  return validate(TokenChange, {
    ...rest,
    ...(setting === undefined ? {} : { setting: nativeSetting(setting) }),
    ...tagOf(call, setting),
  });
}

const list = handleWith({ query: TokenQuery, data: OlderTokens }, async ({ query }, call) => {
  const viewer = viewerOf(call.request);
  const billing_tag = can(viewer.role, "seeBillingTag") ? query.billing_tag : "";
  const search = { keyword: query.keyword, fromStart: true, billing_tag, ...sliceOf(query, sortableTokens) };
  const { rows, total } = await listTokens(call.services.db, viewer.id, search);
  return {
    data: pageOf(
      query,
      rows.map((token) => ownRow(call, token)),
      total,
    ),
  };
});

const get = handleWith({ params: IdParams, data: OlderToken }, async ({ params }, call) => ({
  data: ownRow(call, await getToken(call.services.db, viewerOf(call.request).id, params.id)),
}));

const create = handleWith({ body: Created, data: OlderToken }, async ({ body }, call) => {
  const { db, secrets } = call.services;
  const { name: called, ...rest } = body;
  const { setting = {}, ...change } = nativeChange(call, rest);
  const input = TokenInput.omit({ name: true }).parse({
    ...change,
    expired_time: body.expired_time === 0 ? NEVER_EXPIRES : body.expired_time,
    setting,
  });
  const { token } = await createToken(db, secrets, viewerOf(call.request), { ...input, name: called });
  return { data: ownRow(call, token) };
});

const put = handleWith({ body: z.unknown(), data: OlderToken }, async ({ body }, call) => {
  const { db } = call.services;
  const viewer = viewerOf(call.request);
  if (isStatusOnly(call)) {
    const { id, status } = validate(Switch, body);
    return { data: ownRow(call, await switchToken(db, viewer, id, status)) };
  }
  const { id, ...change } = validate(Change, body);
  return { data: ownRow(call, await changeToken(db, viewer, id, nativeChange(call, change))) };
});

const playground = handleWith({ data: z.string() }, async (_given, call) => {
  const { db, secrets } = call.services;
  return { data: (await playgroundKey(db, secrets, viewerOf(call.request))).replace(/^sk-/, "") };
});

/** Returns another user's token, with its owner and without the key. */
const adminRow = (row: TokenAdminRow) => olderRow(row, "", true);

const adminList = handleWith({ query: TokenAdminQuery, data: OlderTokens }, async ({ query }, call) => {
  const { keyword, billing_tag, user_id: userId, token_id: tokenId } = query;
  const slice = sliceOf(query, sortableTokens);
  const timeZone = call.services.settings.current().TimeZone;
  const search = { keyword, fromStart: true, billing_tag, userId, tokenId, timeZone, ...slice };
  const { rows, total } = await searchTokens(call.services.db, search);
  return { data: pageOf(query, rows.map(adminRow), total) };
});

const adminPut = handleWith({ body: z.unknown(), data: OlderToken }, async ({ body }, call) => {
  const { db, secrets } = call.services;
  const viewer = viewerOf(call.request);
  const zone = call.services.settings.current().TimeZone;
  if (isStatusOnly(call)) {
    const { id, status } = validate(Switch, body);
    return { data: adminRow(await switchAnyToken(db, viewer, { id, status }, zone)) };
  }
  const { id, user_id, ...change } = validate(AdminChange, body);
  const owner = user_id === undefined || user_id === 0 ? {} : { user_id };
  const input = { ...nativeChange(call, change), id, ...owner };
  return { data: adminRow(await administerToken(db, secrets, viewer, input, zone)) };
});

const fixed = { user_id: "", key: "", used_quota: "", created_time: "", accessed_time: "" };
const { user_id: _owner, ...fixedForAdmins } = fixed;

export const tokenCompat: Record<string, CompatRoute> = {
  "GET /token": { handle: list },
  "GET /token/:id": { handle: get },
  "GET /token/playground": { handle: playground },
  "POST /token": { handle: create, ignores: { status: "PUT /api/token/?status_only=true", ...fixed } },
  "PUT /token": { handle: put, ignores: { status: "?status_only=true", ...fixed } },
  "GET /token/admin/search": { handle: adminList },
  "PUT /token/admin": { handle: adminPut, ignores: { status: "?status_only=true", ...fixedForAdmins } },
};
