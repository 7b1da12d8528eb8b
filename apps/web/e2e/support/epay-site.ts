/** A small epay payment site: shows a page, accepts the payer's click, and notifies the merchant. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface EpaySite {
  url: string;
  key: string;
  /** Whether the merchant is notified of a payment. An order can be queried in any case. */
  tells: boolean;
  close(): Promise<void>;
}

type Order = { fields: Record<string, string>; paid: boolean };

export async function startEpaySite(): Promise<EpaySite> {
  const key = "the-merchants-key";
  const orders = new Map<string, Order>();
  const site = { url: "", key, tells: true };

  function signed(fields: Record<string, string>): string {
    const text = Object.keys(fields)
      .filter((name) => fields[name] !== "" && name !== "sign" && name !== "sign_type")
      .sort()
      .map((name) => `${name}=${fields[name]}`)
      .join("&");
    return createHash("md5")
      .update(text + key)
      .digest("hex");
  }

  async function tell(fields: Record<string, string>): Promise<void> {
    const notice: Record<string, string> = {
      pid: fields["pid"] ?? "",
      trade_no: `E${fields["out_trade_no"]}`,
      out_trade_no: fields["out_trade_no"] ?? "",
      type: "alipay",
      money: fields["money"] ?? "",
      trade_status: "TRADE_SUCCESS",
    };
    const query = new URLSearchParams({ ...notice, sign: signed(notice), sign_type: "MD5" });
    const answer = await (await fetch(`${fields["notify_url"]}?${query.toString()}`)).text();
    if (answer !== "success") throw new Error(`The merchant answered "${answer}".`);
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", site.url);
    const fields = Object.fromEntries(searchParams);
    const order = orders.get(fields["out_trade_no"] ?? "");
    const page = (status: number, html: string) =>
      response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
    if (pathname === "/submit.php") {
      if (fields["sign"] !== signed(fields)) return page(400, "wrong signature");
      const number = fields["out_trade_no"] ?? "";
      orders.set(number, { fields, paid: false });
      return page(200, `<h1>${fields["money"]}</h1><a href="/pay?out_trade_no=${number}">Pay now</a>`);
    }
    if (pathname === "/pay" && order) {
      order.paid = true;
      const back = () => response.writeHead(302, { location: order.fields["return_url"] ?? "/" }).end();
      if (!site.tells) return back();
      return void tell(order.fields).then(back, (error: unknown) => page(500, String(error)));
    }
    if (pathname === "/api.php") {
      const json = (answer: object) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      if (!order || fields["key"] !== key) return json({ code: -1, msg: "no such order" });
      const { out_trade_no, money } = order.fields;
      return json({ code: 1, trade_no: `E${out_trade_no}`, out_trade_no, money, status: order.paid ? 1 : 0 });
    }
    return page(404, "nothing here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(site, {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
