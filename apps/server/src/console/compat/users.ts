/** Accounts in One Hub's format: every row has all of One Hub's columns, none of them null, and no secret. */
import { Role } from "@gateway/shared/accounts/roles";
import { Self } from "@gateway/shared/accounts/session";
import { IdentityProviderId } from "@gateway/shared/accounts/sign-in";
import {
  DisplayName,
  Password,
  UserChange,
  UserDetail,
  UserInput,
  UserListRow,
  UserRow,
} from "@gateway/shared/accounts/user";
import { Nothing } from "@gateway/shared/envelope";
import { Page } from "@gateway/shared/paging";
import { z } from "zod";
import { UserStanding } from "#console/accounts/users.ts";
import { viewerOf } from "#console/guards.ts";
import { RowId } from "#console/paging.ts";
import { present } from "#console/present.ts";
import type { Services } from "#console/services.ts";
import { validate } from "#console/validation.ts";
import { changeUser, createUser } from "#domain/accounts/administration.ts";
import { unbindIdentity } from "#domain/accounts/sign-in/identities.ts";
import { type ExternalAccount, linkForUser } from "#domain/accounts/sign-in/link-for-user.ts";
import { getUser } from "#domain/accounts/users.ts";
import { forbidden, invalidFields } from "#errors.ts";
import { oneHubBody } from "./plugin/older.ts";
import { ignoreNotFound } from "./plugin/refusals.ts";
import { type CompatCall, type CompatRoute, handleWith, readWith, formatWith } from "./plugin/route.ts";

const text = z.string();
const OlderUser = z.looseObject({
  id: z.int(),
  username: text,
  password: z.literal(""),
  display_name: text,
  role: z.int(),
  status: z.int(),
  email: text,
  avatar_url: text,
  oidc_id: text,
  github_id: text,
  github_id_new: z.int(),
  wechat_id: text,
  telegram_id: z.int(),
  lark_id: text,
  verification_code: z.literal(""),
  /** Only its hash is stored. GET /api/user/token creates a new one. */
  access_token: z.literal(""),
  quota: z.int(),
  used_quota: z.int(),
  request_count: z.int(),
  group: text,
  aff_code: text,
  aff_count: z.int(),
  aff_quota: z.int(),
  aff_history_quota: z.int(),
  inviter_id: z.int(),
  last_login_time: z.int(),
  last_login_ip: text,
  created_time: z.int(),
});
type OlderUser = z.output<typeof OlderUser>;

/** External account ids, in One Hub's columns. */
const unlinked = {
  oidc_id: "",
  github_id: "",
  github_id_new: 0,
  wechat_id: "",
  telegram_id: 0,
  lark_id: "",
};
type Links = typeof unlinked;

function linksOf(identities: readonly { provider: string; subject: string; label: string }[]): Links {
  const found = new Map(identities.map((identity) => [identity.provider, identity]));
  const subject = (provider: string) => found.get(provider)?.subject ?? "";
  const number = (provider: string) => {
    const id = Number(subject(provider));
    return Number.isSafeInteger(id) ? id : 0;
  };
  return {
    oidc_id: subject("oidc"),
    github_id: found.get("github")?.label ?? "",
    github_id_new: number("github"),
    wechat_id: subject("wechat"),
    telegram_id: number("telegram"),
    lark_id: subject("lark"),
  };
}

/** Adds the columns that native rows omit. */
async function withColumns({ db }: Services, rows: readonly UserRow[]): Promise<OlderUser[]> {
  const ids = rows.map((row) => row.id);
  const [accounts, identities] = await Promise.all([
    db.user.findMany({
      where: { id: { in: ids } },
      select: { id: true, inviter_id: true, aff_history: true },
    }),
    db.identity.findMany({ where: { user_id: { in: ids } } }),
  ]);
  const accountOf = new Map(accounts.map((account) => [account.id, account]));
  return rows.map((row) => ({
    ...row,
    password: "",
    email: row.email ?? "",
    last_login_time: row.last_login_time ?? 0,
    ...linksOf(identities.filter((identity) => identity.user_id === row.id)),
    verification_code: "",
    access_token: "",
    aff_history_quota: Number(accountOf.get(row.id)?.aff_history ?? 0),
    inviter_id: accountOf.get(row.id)?.inviter_id ?? 0,
  }));
}

async function olderUser(row: UserRow, { services }: CompatCall): Promise<OlderUser> {
  const [withAll] = await withColumns(services, [row]);
  if (withAll === undefined) throw new Error("The row is missing.");
  return withAll;
}

const OlderUsers = Page(OlderUser);

/** Input of a new account. One Hub ignores role, group and quota; the message names those that are set. */
const Created = oneHubBody({
  username: UserInput.shape.username,
  password: Password,
  display_name: DisplayName.default(""),
  role: z.int().default(0),
  group: text.default(""),
  quota: z.int().default(0),
});

const create = handleWith({ body: Created, data: OlderUser }, async ({ body }, call) => {
  const { db, settings } = call.services;
  const viewer = viewerOf(call.request);
  const { username, password, role, group, quota } = body;
  // One Hub refuses such a role although it ignores the field.
  if (role >= viewer.role) throw forbidden({ reason: "role_too_high" });
  if (role > Role.user) call.note("role was ignored: use POST /api/user/manage.");
  if (group !== "" && group !== "default") call.note("group was ignored: use PUT /api/user/.");
  if (quota !== 0) call.note("quota was ignored: use POST /api/user/quota/:id.");
  const display_name = body.display_name === "" ? username : body.display_name;
  const input = UserInput.parse({ username, password, display_name });
  const { id } = await createUser(db, viewer, input, settings.current().QuotaForNewUser);
  return { data: await readBack(call, id) };
});

async function readBack(call: CompatCall, id: number): Promise<OlderUser> {
  const user = await getUser(call.services.db, id);
  return olderUser(UserRow.parse(present(user)), call);
}

const ExternalId = text.trim().max(255).optional();

const Change = oneHubBody({
  id: RowId,
  username: text.optional(),
  display_name: text.optional(),
  password: text.optional(),
  role: z.int().optional(),
  status: z.int().optional(),
  email: text.optional(),
  group: text.optional(),
  avatar_url: text.optional(),
  oidc_id: ExternalId,
  github_id: ExternalId,
  github_id_new: z.int().min(0).optional(),
  wechat_id: ExternalId,
  telegram_id: z.int().min(0).optional(),
  lark_id: ExternalId,
  quota: z.int().optional(),
  used_quota: z.int().optional(),
  request_count: z.int().optional(),
});
type Change = z.output<typeof Change>;

/** Returns the fields that differ from the account and are neither empty nor 0. All others change nothing. */
function different<Name extends keyof Change>(
  change: Change,
  now: Partial<Record<Name, string | number | null>>,
  names: readonly Name[],
): Partial<Pick<Change, Name>> {
  const found: Partial<Pick<Change, Name>> = {};
  for (const name of names) {
    const value = change[name];
    if (value !== undefined && value !== "" && value !== 0 && value !== now[name]) found[name] = value;
  }
  return found;
}

const linkNames = [
  "oidc_id",
  "github_id",
  "github_id_new",
  "wechat_id",
  "telegram_id",
  "lark_id",
] as const satisfies readonly (keyof Links)[];

/** Returns the external accounts that a PUT links. GitHub's are known by their number, not by their name. */
function linkedBy(body: Change, links: Links): ExternalAccount[] {
  const changed = different(body, links, linkNames);
  if (changed.github_id !== undefined && changed.github_id_new === undefined && links.github_id_new === 0)
    throw invalidFields({ github_id_new: { reason: "value_required" } });
  const github = changed.github_id ?? changed.github_id_new;
  const accounts: [ExternalAccount["provider"], string | number | undefined, string?][] = [
    ["github", github && (changed.github_id_new ?? links.github_id_new), changed.github_id],
    ["oidc", changed.oidc_id],
    ["wechat", changed.wechat_id],
    ["telegram", changed.telegram_id],
    ["lark", changed.lark_id],
  ];
  return accounts.flatMap(([provider, subject, label]) =>
    subject === undefined ? [] : [{ provider, subject: String(subject), label }],
  );
}

const put = handleWith({ body: Change, data: OlderUser }, async ({ body }, call) => {
  const { db, secrets } = call.services;
  const { id } = body;
  const user = await getUser(db, id);
  const linked = linkedBy(body, linksOf(await db.identity.findMany({ where: { user_id: id } })));
  const counters = {
    quota: Number(user.quota),
    used_quota: Number(user.used_quota),
    request_count: Number(user.request_count),
  };
  for (const name of Object.keys(different(body, counters, ["quota", "used_quota", "request_count"])))
    call.note(`${name} is not changed here: use POST /api/user/quota/:id.`);
  const fields = different(body, user, [
    "username",
    "display_name",
    "group",
    "role",
    "status",
    "email",
    "avatar_url",
  ]);
  const password = body.password ?? "";
  const change = validate(UserChange, { id, ...fields, ...(password === "" ? {} : { password }) });
  const actor = viewerOf(call.request);
  await changeUser(db, secrets, actor, change, async (tx) => {
    if (linked.length > 0) await linkForUser(tx, actor, id, linked);
  });
  return { data: await readBack(call, id) };
});

const emptyUser: OlderUser = {
  id: 0,
  username: "",
  password: "",
  display_name: "",
  role: 0,
  status: 0,
  email: "",
  avatar_url: "",
  ...unlinked,
  verification_code: "",
  access_token: "",
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: "",
  aff_code: "",
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  last_login_time: 0,
  last_login_ip: "",
  created_time: 0,
};

const oneself = formatWith(Self, OlderUser, olderUser);

/** The own password is changed only where the current one is required. */
const ownProfile = readWith(
  z.looseObject({ username: text.optional(), display_name: text.optional() }),
  ({ username, display_name, ...rest }, call) => {
    if (username !== undefined && username !== "" && username !== viewerOf(call.request).username)
      call.note("username was ignored: an administrator changes it.");
    return { ...rest, ...(display_name === undefined || display_name === "" ? {} : { display_name }) };
  },
);

const unbind = handleWith(
  { body: oneHubBody({ type: IdentityProviderId }), data: Nothing },
  async ({ body }, call) => {
    const { db, settings, identityProviders: providers } = call.services;
    const methods = { settings: settings.current(), providers };
    await ignoreNotFound(unbindIdentity(db, viewerOf(call.request), body.type, methods));
    return { data: null };
  },
);

/** The Turnstile token is sent in the query. */
const register = readWith(z.looseObject({ turnstile: text.optional() }), (body, { request }) => {
  const { turnstile } = request.query as { turnstile?: unknown };
  return typeof turnstile === "string" ? { ...body, turnstile } : body;
});

export const userCompat: Record<string, CompatRoute> = {
  "POST /user/login": { answer: oneself },
  "POST /user/register": { body: register, answer: oneself },
  "GET /user/self": { answer: oneself },
  "PUT /user/self": { body: ownProfile, answer: oneself },
  "POST /user/unbind": { handle: unbind },
  "GET /user": {
    answer: formatWith(Page(UserListRow), OlderUsers, async (page, { services }) => ({
      ...page,
      data: await withColumns(services, page.data),
    })),
  },
  "GET /user/:id": { answer: formatWith(UserDetail, OlderUser, olderUser) },
  "POST /user": { handle: create },
  "PUT /user": {
    handle: put,
    ignores: {
      access_token: "",
      aff_code: "",
      aff_count: "",
      aff_quota: "",
      aff_history_quota: "",
      inviter_id: "",
      last_login_time: "",
      last_login_ip: "",
      created_time: "",
    },
  },
  "POST /user/manage": {
    answer: formatWith(UserStanding, OlderUser, ({ role, status }) => ({ ...emptyUser, role, status })),
  },
};
