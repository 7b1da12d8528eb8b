/** The screens in two halves, so that `npm test` opens each once: even ones on a desktop, odd ones on a phone. */
import type { Page } from "@playwright/test";
import type { Site } from "../test.ts";
import { startWalk, type Walk } from "../walk.ts";
import { addMarkedNames, markedNamesOn } from "./marked-names.ts";
import { type Checks, examine } from "./screen-checks.ts";
import { dialogPaths, publicPaths } from "./screen-list.ts";

export type Half = "even" | "odd";
type Language = Checks["language"];

const halfOf = (half: Half, paths: string[]) =>
  paths.filter((_path, index) => index % 2 === (half === "even" ? 0 : 1));

/**
 * Examines half of the screens, forms and dialogs, with names that reverse the text beside them unless it is isolated.
 * @returns what is wrong
 */
export async function examineHalf(
  half: Half,
  page: Page,
  site: Site,
  consolePaths: string[],
  language: Language,
): Promise<string[]> {
  const objects = await addMarkedNames(site);
  const walk = await startWalk(page, site);
  let shown = 0;
  const further = async () => {
    const { names, loose } = await markedNamesOn(page);
    shown += names;
    return loose.map((text) => `reverses the text beside it: ${text}`);
  };
  const screens = [...halfOf(half, consolePaths), ...halfOf(half, objects)];
  await examine(walk, screens, { language, axe: true, further });
  // axe examines their parts on the screens, and in pnpm verify:screens.
  await examine(walk, halfOf(half, dialogPaths), { language, axe: false, further });
  if (shown < 20) walk.complaints.push(`Only ${shown} names with marks were shown.`);
  return walk.complaints;
}

/** Examines half of the public pages. Returns what is wrong. */
export function publicHalf(half: Half, walk: Walk, language: Language): Promise<string[]> {
  return examine(walk, halfOf(half, publicPaths), { language, axe: true });
}
