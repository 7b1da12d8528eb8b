/**
 * User groups in One Hub's format: only the name is required, and a PUT changes only the fields it contains.
 */
import {
  UserGroupDetail,
  UserGroupInput,
  UserGroupMap,
  UserGroupQuery,
} from "@gateway/shared/channels/group";
import { makePartial } from "@gateway/shared/paging";
import { z } from "zod";
import { viewerOf } from "#console/guards.ts";
import { RowId } from "#console/paging.ts";
import { validate } from "#console/validation.ts";
import { changeGroup, createGroup, describeGroup, getGroup } from "#domain/accounts/groups/edit-groups.ts";
import { oneHubBody } from "./plugin/older.ts";
import { type CompatCall, type CompatRoute, handleWith, readWith, formatWith } from "./plugin/route.ts";

const text = z.string();
const sent = {
  name: text.optional(),
  ratio: z.number().optional(),
  api_rate: z.int().optional(),
  public: z.boolean().optional(),
  promotion: z.boolean().optional(),
  min: z.int().optional(),
  max: z.int().optional(),
  enable: z.boolean().optional(),
};
const Created = oneHubBody({ ...sent, symbol: text });
const Changed = oneHubBody({ ...sent, id: RowId, symbol: text.optional() });

/** Defaults of a new group whose ratio and rate are missing or 0. */
const RATIO = 1;
const API_RATE = 600;

const show = async ({ services }: CompatCall, id: number) =>
  describeGroup(services.db, await getGroup(services.db, id));

const create = handleWith({ body: Created, data: UserGroupDetail }, async ({ body }, call) => {
  const { enable: _enable, ...given } = body;
  const input = validate(UserGroupInput, {
    min: 0,
    max: 0,
    name: given.symbol,
    ...given,
    ratio: given.ratio || RATIO,
    api_rate: given.api_rate || API_RATE,
  });
  const { id } = await createGroup(call.services.db, viewerOf(call.request), input);
  return { data: await show(call, id) };
});

const put = handleWith({ body: Changed, data: UserGroupDetail }, async ({ body }, call) => {
  const { id, symbol, enable, ...given } = body;
  const { db } = call.services;
  const now = await getGroup(db, id);
  if (symbol !== undefined && symbol !== now.symbol)
    call.note("symbol was ignored: accounts, tokens and channels name the group by it.");
  if (enable !== undefined && enable !== now.enable)
    call.note("enable was ignored: use PUT /api/user_group/enable/:id.");
  const change = validate(makePartial(UserGroupInput.omit({ symbol: true })), given);
  await changeGroup(db, viewerOf(call.request), id, change);
  return { data: await show(call, id) };
});

const OlderMap = z.record(
  z.string(),
  UserGroupMap.valueType.extend({ promotion: z.boolean(), min: z.int(), max: z.int() }),
);

export const groupCompat: Record<string, CompatRoute> = {
  "GET /user_group": {
    query: readWith(
      UserGroupQuery.extend({ name: UserGroupQuery.shape.keyword }),
      ({ name, keyword, ...query }) => ({ ...query, keyword: keyword || name }),
    ),
  },
  "POST /user_group": { handle: create },
  "PUT /user_group": { handle: put },
  "GET /user_group_map": {
    answer: formatWith(UserGroupMap, OlderMap, async (groups, { services }) => {
      const rows = await services.db.userGroup.findMany({ where: { symbol: { in: Object.keys(groups) } } });
      return Object.fromEntries(
        Object.values(groups).map((group) => {
          const { promotion = false, min = 0, max = 0 } = rows.find(({ id }) => id === group.id) ?? {};
          return [group.symbol, { ...group, promotion, min, max }];
        }),
      );
    }),
  },
};
