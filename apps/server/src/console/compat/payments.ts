/**
 * Payment gateways in One Hub's format: `config` is JSON in a text, without its secrets. A row may be written
 * back as it was read.
 */
import { PaymentInput, PaymentPage, PaymentPatch, PaymentRow } from "@gateway/shared/billing/payment";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { editGateway } from "#console/billing/payments.ts";
import { requireBalances, viewerOf } from "#console/guards.ts";
import { IdParams, RowId } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { validate } from "#console/validation.ts";
import { createGateway, deleteGateway, describeGateway, patchGateway } from "#domain/payments/gateways.ts";
import type { PaymentGateway } from "#platform/prisma/client.ts";
import { ignoreNotFound } from "./plugin/refusals.ts";
import { type CompatRoute, handleWith, formatWith } from "./plugin/route.ts";

const OlderPayment = z.looseObject({
  id: z.int(),
  uuid: z.string(),
  type: z.string(),
  name: z.string(),
  icon: z.string(),
  notify_domain: z.string(),
  currency: z.string(),
  fixed_fee: z.number(),
  percent_fee: z.number(),
  config: z.string(),
  sort: z.int(),
  enable: z.boolean(),
  created_at: z.int(),
});

function encodePayment(row: PaymentRow): z.input<typeof OlderPayment> {
  return { ...row, config: JSON.stringify(row.config) };
}

/** These responses do not contain the notification address of a gateway. */
function describe({ secrets }: Services, gateway: PaymentGateway): PaymentRow {
  return describeGateway(secrets, gateway, "");
}

const Mentioned = z.record(z.string(), z.unknown());
/** Adds the default icon, which One Hub's editor omits. */
const withIcon = (body: Record<string, unknown>) =>
  body["icon"] === undefined || body["icon"] === "" ? { ...body, icon: "card" } : body;

const create = handleWith(
  { body: Mentioned, data: OlderPayment },
  async ({ body }, { request, services }) => {
    const { db, secrets, paymentGateways: gateways } = services;
    const input = validate(PaymentInput, withIcon(body));
    const gateway = await createGateway(
      { db, secrets, gateways },
      requireBalances(request, "gateway"),
      input,
    );
    return { message: "Payment added successfully", data: encodePayment(describe(services, gateway)) };
  },
);

const Changed = z.looseObject({ id: RowId });
const Patch = PaymentPatch.extend({ id: RowId }).strict();

const change = handleWith({ body: Changed, data: OlderPayment }, async ({ body }, { request, services }) => {
  const { db, secrets, paymentGateways: gateways } = services;
  const editing = { db, secrets, gateways };
  const patch = Patch.safeParse(body);
  if (patch.success) {
    const { id, ...fields } = patch.data;
    return {
      data: encodePayment(describe(services, await patchGateway(editing, viewerOf(request), id, fields))),
    };
  }
  const sent = body["icon"] === "" ? withIcon(body) : body;
  return { data: encodePayment(describe(services, await editGateway(services, request, body.id, sent))) };
});

const remove = handleWith({ params: IdParams, data: Nothing }, async ({ params }, { request, services }) => {
  const { db, secrets, paymentGateways: gateways } = services;
  await ignoreNotFound(deleteGateway({ db, secrets, gateways }, viewerOf(request), params.id));
  return { data: null };
});

/** One Hub refuses a notification for an unknown gateway with 200. All others have the gateway's own status. */
const notice: CompatRoute = { refuses: ({ status, code }) => (code === "not_found" ? 200 : status) };

export const paymentCompat: Record<string, CompatRoute> = {
  "GET /payment": {
    answer: formatWith(PaymentPage, PaymentPage.extend({ data: z.array(OlderPayment) }), (page) => ({
      ...page,
      data: page.data.map(encodePayment),
    })),
  },
  "GET /payment/:id": { answer: formatWith(PaymentRow, OlderPayment, encodePayment) },
  "POST /payment": { handle: create, succeeds: 201, refuses: ({ status }) => (status < 500 ? 500 : status) },
  "PUT /payment": { handle: change, ignores: { type: "", uuid: "", created_at: "" } },
  "DELETE /payment/:id": { handle: remove },
  "GET /payment/notify/:uuid": notice,
  "POST /payment/notify/:uuid": notice,
};
