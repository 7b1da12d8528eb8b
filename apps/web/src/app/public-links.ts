import { phrase } from "#lib/i18n.ts";
import { screenById } from "./screens.ts";

type PublicLink = { to: string; title: string };

/** Links of the public top bar; those to screens appear when the screen exists. */
export function publicLinks(signedIn: boolean): PublicLink[] {
  const links: PublicLink[] = [{ to: "/", title: phrase("Home") }];
  if (signedIn && screenById("playground")) links.push({ to: "/playground", title: phrase("Playground") });
  if (screenById("model_price")) links.push({ to: "/price", title: phrase("Price") });
  links.push({ to: "/about", title: phrase("About") });
  return links;
}
