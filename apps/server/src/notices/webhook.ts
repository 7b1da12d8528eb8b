import { createHmac } from "node:crypto";
import { type NoticeChannel, deliveryError } from "./channel.ts";

/**
 * Any endpoint that accepts a POST. With a secret, `x-gateway-signature` is the hex HMAC-SHA256 of the
 * timestamp, a dot and the body. It proves sender, content and time to the receiver.
 */
export const webhook: NoticeChannel = {
  id: "webhook",
  label: "Webhook",
  enabledBy: "NotifyWebhookEnabled",
  needs: ["NotifyWebhookAddress"],
  events: "NotifyWebhookEvents",
  async send({ event, title, text, time, site, siteUrl, facts }, settings, tools) {
    const body = JSON.stringify({
      event,
      title,
      text,
      time: time.toISOString(),
      site,
      site_url: siteUrl,
      facts,
    });
    const timestamp = String(Math.floor(tools.now() / 1000));
    const secret = settings.NotifyWebhookSecret;
    const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
    const { status } = await tools.post(settings.NotifyWebhookAddress, body, {
      "x-gateway-timestamp": timestamp,
      ...(secret === "" ? {} : { "x-gateway-signature": `sha256=${signature}` }),
    });
    if (status < 200 || status >= 300) throw deliveryError("The webhook", `HTTP ${status}`);
  },
};
