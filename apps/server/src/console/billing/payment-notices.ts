import { Failure } from "@gateway/shared/envelope";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ConsoleApp } from "#console/answer.ts";
import { paymentDeps, type Services } from "#console/services.ts";
import { clientOf } from "#domain/payments/payment-deps.ts";
import { takePayment } from "#domain/payments/take-payment.ts";
import { GatewayError, notFound } from "#errors.ts";
import type { PaymentNotice, Reply } from "#payments/gateway.ts";

/** Far more than any gateway writes. */
const BODY_LIMIT = 65_536;
/** All payers of a site come from the few addresses of its gateway. */
const NOTICE_LIMIT = { max: 3_000, timeWindow: 180_000 };

const Params = z.object({ uuid: z.string().max(64) });
const Return = z.object({ trade_no: z.string().regex(/^[\w-]{1,64}$/) });
/** In each gateway's own words, so there is no envelope. */
const response = { 200: z.string(), "4xx": z.union([z.string(), Failure]), "5xx": Failure };

/**
 * Where payment gateways say that someone has paid. Open to the world: what counts is the signature alone. Bodies
 * arrive as they were sent, because that is what was signed.
 *
 * @param root the base path: "" or "/gateway"
 */
export async function paymentNoticeRoutes(app: ConsoleApp, services: Services, root: string): Promise<void> {
  const deps = paymentDeps(services);

  await app.register(async (plain) => {
    const scope = plain.withTypeProvider<ZodTypeProvider>();
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser<string>(
      "*",
      { parseAs: "string", bodyLimit: BODY_LIMIT },
      (_request, body, done) => done(null, body),
    );
    const config = { access: "anyone", rateLimit: NOTICE_LIMIT } as const;
    const summary = "Receive a notification of a payment gateway";
    const route = { config, schema: { summary, params: Params, response } };

    async function take(request: FastifyRequest<{ Params: z.output<typeof Params> }>, reply: FastifyReply) {
      // Also one that is off or deleted: what was opened with it may still be paid.
      const gateway = await services.db.paymentGateway.findUnique({ where: { uuid: request.params.uuid } });
      if (gateway === null) throw notFound({ reason: "payment_gateway_not_found" });
      const client = clientOf(deps, gateway);
      try {
        const payment = await client.verify(noticeOf(request));
        // A credit that is not committed is not acknowledged: the gateway tells it again.
        if (payment !== undefined) await takePayment(deps, gateway, payment, request.ip);
        return answer(reply, client.reply.taken);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        request.log.warn({ err: error, gateway: gateway.id }, "a payment notice was refused");
        return answer(reply, client.reply.refused);
      }
    }

    scope.get("/payment/notify/:uuid", route, take);
    scope.post("/payment/notify/:uuid", route, take);
  });

  // Gateways send the payer back here, and add fields of their own; none of them is believed. The address has no query,
  // because some gateways sign it without encoding.
  app.get(
    "/payment/return/:trade_no",
    {
      config: { access: "anyone" },
      schema: {
        summary: "Return from a payment page to the console",
        params: Return,
        response: { 303: z.string() },
      },
    },
    async (request: FastifyRequest<{ Params: z.output<typeof Return> }>, reply: FastifyReply) => {
      void reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer");
      return reply.redirect(`${root}/panel/topup?back=${request.params.trade_no}`, 303);
    },
  );
}

function noticeOf(request: FastifyRequest): PaymentNotice {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      typeof value === "string" ? value : undefined,
    ]),
  );
  const mark = request.url.indexOf("?");
  return {
    headers,
    query: mark < 0 ? "" : request.url.slice(mark + 1),
    body: typeof request.body === "string" ? request.body : "",
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === "forbidden" || error.code === "conflict");
}

function answer(reply: FastifyReply, { status, type, body }: Reply): FastifyReply {
  return reply.status(status).type(`${type}; charset=utf-8`).serializer(String).send(body);
}
