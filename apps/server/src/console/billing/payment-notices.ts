import { Failure } from "@gateway/shared/envelope";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ConsoleApp } from "#console/answer.ts";
import { paymentDeps, type Services } from "#console/services.ts";
import { getNotifyingGateway } from "#domain/payments/gateways.ts";
import { clientOf } from "#domain/payments/payment-deps.ts";
import { takePayment } from "#domain/payments/take-payment.ts";
import { GatewayError } from "#errors.ts";
import type { PaymentNotice, Reply } from "#payments/gateway.ts";

/** Maximum size of a notification, in bytes. Far more than any gateway sends. */
const BODY_LIMIT = 65_536;
/** All payments of a site are reported from the few addresses of its gateway. */
const NOTICE_LIMIT = { max: 3_000, timeWindow: 180_000 };

const Params = z.object({ uuid: z.string() });
const Return = z.object({ trade_no: z.string().regex(/^[\w-]{1,64}$/) });
/** Responses have each gateway's own format, so there is no envelope. */
const response = { 200: z.string(), "4xx": z.union([z.string(), Failure]), "5xx": Failure };

/**
 * Routes to which payment gateways report payments. They are public: only the signature counts. Bodies stay
 * as they were sent, because those bytes were signed.
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
      const gateway = await getNotifyingGateway(services.db, request.params.uuid);
      const client = clientOf(deps, gateway);
      try {
        const payment = await client.verify(noticeOf(request));
        // A credit that is not committed is not acknowledged, so the gateway sends the notification again.
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

  // Gateways redirect the payer to this address and add fields of their own, which are ignored. The address
  // has no query, because some gateways sign it without encoding.
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
      void reply.header("referrer-policy", "no-referrer");
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
