import { upstreamFailed } from "#errors.ts";
import type { NoticeChannel } from "./channel.ts";
import { renderLetter } from "./letter.ts";

export const email: NoticeChannel = {
  id: "email",
  label: "Email",
  enabledBy: "NotifyEmailEnabled",
  needs: ["SMTPServer"],
  events: "NotifyEmailEvents",
  async send(message, settings, tools) {
    const named = settings.NotifyEmailTo.split(",").map((address) => address.trim());
    const wanted = named.filter((address) => address !== "");
    const recipients = wanted.length > 0 ? wanted : await tools.operators();
    if (recipients.length === 0) throw upstreamFailed({ reason: "notice_no_recipient" });
    const { site, siteUrl, title, text } = message;
    const letter = renderLetter({
      language: "en_US",
      sender: site,
      siteUrl,
      title,
      paragraphs: text === "" ? [] : [text],
    });
    for (const recipient of recipients) await tools.mail(recipient, letter);
  },
};
