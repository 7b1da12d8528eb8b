import { phrase } from "#lib/i18n.ts";

type PublicLink = { to: string; title: string };

export function publicLinks(signedIn: boolean, withStatus: boolean): PublicLink[] {
  return [
    { to: "/", title: phrase("Home") },
    ...(signedIn ? [{ to: "/playground", title: phrase("Playground") }] : []),
    { to: "/price", title: phrase("Price") },
    { to: "/connect", title: phrase("Connect a client") },
    ...(withStatus ? [{ to: "/status", title: phrase("Status") }] : []),
    { to: "/about", title: phrase("About") },
  ];
}
