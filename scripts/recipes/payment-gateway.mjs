import { add, create } from "./edits.mjs";
import { titleCase, word } from "./names.mjs";

const config = "packages/shared/src/billing/payment-config.ts";
const labels = "apps/web/src/features/payments/gateway-labels.ts";
const registry = "apps/server/src/payments/index.ts";
const standIns = "apps/server/test/payment-stand-ins.ts";

const formats = (id) => `import { createHmac } from "node:crypto";
import { trimEndOf } from "@gateway/shared/trim-end";
import { z } from "zod";
import { ask, paymentError, readJson, unreachable } from "./ask.ts";
import { checkedPayment, definePayment, notGenuine, type Payment, type PaymentGateway } from "./gateway.ts";
import { refuseQuery } from "./notice-form.ts";
import { sameText } from "./signing.ts";

/** JSON in both directions, signed with HMAC-SHA256. https://docs.${id}.example, read 20xx-xx. */
const label = "${titleCase(id)}";

const Opened = z.object({ pay_url: z.string() });
const Order = z.object({
  merchant_id: z.string(),
  order_id: z.string(),
  payment_id: z.string(),
  status: z.string(),
  /** Hundredths of the currency. */
  amount: z.int(),
  currency: z.string(),
});
`;

const record = (id) => `
export function ${id}(): PaymentGateway {
  return definePayment({
    id: "${id}",
    label,
    connect({ api_address, merchant_id, secret_key }, world) {
      const base = trimEndOf(api_address, "/");
      const signatureOf = (text: string) => createHmac("sha256", secret_key).update(text).digest("hex");
      const isSigned = (text: string, signature: string) => sameText(signature, signatureOf(text));

      async function post(path: string, fields: object): Promise<{ status: number; body: unknown }> {
        const body = JSON.stringify({ merchant_id, ...fields });
        const headers = { "content-type": "application/json", "x-signature": signatureOf(body) };
        const answer = await ask(world, { label, method: "POST", url: base + path, headers, body });
        if (!isSigned(answer.text, answer.headers.get("x-signature") ?? ""))
          throw unreachable(label, "an answer without its signature");
        return { status: answer.status, body: readJson(answer.text) };
      }

      function paymentOf(content: unknown): Payment | undefined {
        const order = Order.safeParse(content).data;
        if (order === undefined || order.status !== "paid") return undefined;
        if (order.merchant_id !== merchant_id) throw notGenuine("it is for another merchant");
        const { order_id: tradeNo, payment_id: gatewayNo, amount, currency } = order;
        return checkedPayment({ tradeNo, gatewayNo, cents: BigInt(amount), currency });
      }

      return {
        async open(order) {
          const { status, body } = await post("/orders", {
            order_id: order.tradeNo,
            amount: Number(order.cents),
            currency: order.currency,
            title: order.title,
            notify_url: order.notifyUrl,
            return_url: order.returnUrl,
          });
          if (status !== 200) throw paymentError(label, "status " + status);
          const opened = Opened.safeParse(body);
          if (!opened.success) throw unreachable(label, "an answer that is no order");
          return { kind: "link", url: opened.data.pay_url };
        },

        async verify({ headers, query, body }) {
          refuseQuery({ query });
          if (!isSigned(body, headers["x-signature"] ?? "")) throw notGenuine("the signature is wrong");
          return paymentOf(readJson(body));
        },

        async query({ tradeNo }) {
          const payment = paymentOf((await post("/orders/query", { order_id: tradeNo })).body);
          return payment?.tradeNo === tradeNo ? payment : undefined;
        },

        reply: {
          taken: { status: 200, type: "text/plain", body: "ok" },
          refused: { status: 400, type: "text/plain", body: "refused" },
        },
      };
    },
  });
}
`;

/** The gateway as the tests simulate it. */
const standIn = (
  id,
) => `  const ${id}Sign = (text: string, key = ${id}Key) => createHmac("sha256", key).update(text).digest("hex");
  const ${id}Order = (order: StandInOrder) => ({
    merchant_id: order.merchant,
    order_id: order.tradeNo,
    payment_id: order.gatewayNo,
    status: order.paid ? "paid" : "open",
    amount: order.cents,
    currency: order.currency,
  });

  function ${id}Answers(request: IncomingMessage, path: string, body: string, send: Send): void {
    const tell = (status: number, content: object) => {
      const raw = JSON.stringify(content);
      send(status, raw, { "x-signature": ${id}Sign(raw) });
    };
    if (request.headers["x-signature"] !== ${id}Sign(body)) return tell(401, {});
    const given = JSON.parse(body) as Record<string, string | number>;
    const tradeNo = String(given["order_id"]);
    if (path.endsWith("/query")) {
      const order = orders.get(tradeNo);
      return order ? tell(200, ${id}Order(order)) : tell(404, {});
    }
    const [cents, currency] = [Number(given["amount"]), String(given["currency"])];
    remember({ type: "${id}", tradeNo, cents, currency, notifyUrl: String(given["notify_url"]) }, "1001");
    tell(200, { pay_url: \`\${url}/pay/\${tradeNo}\` });
  }

`;

const addStandIn = (id) => [
  add(standIns, {
    after: "startPaymentStandIns()",
    before: "  const orders =",
    text: `  const ${id}Key = "${id}-merchant-key";\n`,
    unless: `${id}Key`,
  }),
  add(standIns, {
    after: "const send = (",
    before: '    send(404, "{}");',
    text: `    if (pathname.startsWith("/${id}/")) return ${id}Answers(request, pathname, body, send);\n`,
    unless: `"/${id}/"`,
  }),
  add(standIns, {
    after: "type Send =",
    before: "  function noticeOf(",
    text: standIn(id),
    unless: `${id}Answers`,
  }),
  add(standIns, {
    after: "switch (order.type) {",
    before: '      case "epay": {',
    text: `      case "${id}": {
        const body = JSON.stringify(${id}Order(order));
        const headers = { "content-type": "application/json", "x-signature": ${id}Sign(body) };
        return { method: "POST", url: order.notifyUrl, headers, body };
      }\n`,
    unless: `case "${id}"`,
  }),
  add(standIns, {
    after: "    configs: {",
    before: "      epay:",
    text: `      ${id}: { api_address: \`\${url}/${id}\`, merchant_id: "1001", secret_key: ${id}Key },\n`,
    unless: `      ${id}:`,
  }),
  add(standIns, {
    after: "    otherKeys: {",
    before: "      epay:",
    text: `      ${id}: { secret_key: "another" },\n`,
    unless: `      ${id}:`,
  }),
  add(standIns, {
    after: "    statedCurrency: {",
    before: " epay:",
    text: ` ${id}: "CNY",`,
    unless: ` ${id}:`,
  }),
  add(standIns, {
    after: "    expectedReply: {",
    before: " epay:",
    text: ` ${id}: "ok",`,
    unless: ` ${id}:`,
  }),
];

const addConfig = (id) => [
  add("packages/shared/src/billing/payment-types.ts", {
    after: "paymentTypes = [",
    before: "] as const",
    text: `, "${id}"`,
    unless: `"${id}"`,
  }),
  add(config, {
    after: "export const paymentConfigs = {",
    before: "} as const",
    text: `  ${id}: z.object({
    /** Address of the gateway's API. */
    api_address: address,
    merchant_id: requiredText(account),
    secret_key: requiredText(short),
  }),\n`,
    unless: `\n  ${id}:`,
  }),
  add(config, {
    after: "export const paymentSecrets = {",
    before: "} as const",
    text: `  ${id}: ["secret_key"],\n`,
    unless: `\n  ${id}:`,
  }),
  add(config, {
    after: "export const paymentCurrencies",
    before: "};",
    text: `  ${id}: ["CNY", "USD"],\n`,
    unless: `\n  ${id}:`,
  }),
];

const addLabels = (id) => [
  add(labels, {
    after: "export const typeTitles",
    before: "};",
    text: `  ${id}: phrase("${titleCase(id)}"),\n`,
    unless: `\n  ${id}:`,
  }),
  add(labels, {
    after: "export const configFields",
    before: "\n};",
    text: `
  ${id}: {
    api_address: { label: phrase("API address"), kind: "text" },
    merchant_id: { label: phrase("Merchant number"), kind: "text" },
    secret_key: { label: phrase("Secret key"), kind: "secret" },
  },`,
    unless: `\n  ${id}:`,
  }),
];

export const paymentGateway = {
  about: "a payment gateway",
  name: word,
  edits: (id) => [
    create(`apps/server/src/payments/${id}.ts`, formats(id) + record(id)),
    add(registry, {
      after: 'import { epay } from "./epay.ts";\n',
      before: "import",
      text: `import { ${id} } from "./${id}.ts";\n`,
      unless: `{ ${id} }`,
    }),
    add(registry, {
      after: "return {",
      before: "} satisfies",
      text: `  ${id}: ${id}(),\n`,
      unless: `${id}:`,
    }),
    ...addConfig(id),
    ...addLabels(id),
    ...addStandIn(id),
  ],
  next: (id) => [
    `Replace the protocol in apps/server/src/payments/${id}.ts, and how ${standIns} simulates it. They are a working example.`,
    `Set the fields of an account, the secrets and the currencies in ${config}, and the labels in ${labels}.`,
    "Run pnpm i18n and translate the labels. Describe the gateway in docs/payments.md.",
  ],
  most: 6,
  byHand: [],
  example: ["samplepay"],
  tests: ["apps/server/src/payments/contract.test.ts", "apps/server/src/console/billing/payments.test.ts"],
};
