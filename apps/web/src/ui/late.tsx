/** Components that a page needs only after a click: forms, drawers and dialogs. */
import { type ComponentType, lazy, type ReactNode, useState } from "react";
import { savesData, whenIdle } from "#lib/idle.ts";
import { LatePart } from "./late-part.tsx";

/** Delay after which the code is fetched ahead, so that the page itself comes first, in milliseconds. */
const AHEAD_AFTER_MS = 3_000;

/**
 * Returns a component whose code is loaded when it is first rendered, or ahead while the browser is idle.
 * @param isWanted false while it has nothing to show; by default it has
 * @param Meanwhile shown while its code is loaded, or cannot be
 */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isWanted: (props: Props) => boolean = () => true,
  Meanwhile?: (props: Props) => ReactNode,
): (props: Props) => ReactNode {
  const Part = lazy(async () => ({ default: await load() }));
  if (typeof window !== "undefined" && !savesData())
    setTimeout(() => void whenIdle().then(load).catch(ignored), AHEAD_AFTER_MS);
  return function Late(props) {
    const [wanted, setWanted] = useState(false);
    if (!wanted && isWanted(props)) setWanted(true);
    return wanted ? (
      <LatePart fallback={Meanwhile ? <Meanwhile {...props} /> : null}>
        <Part {...props} />
      </LatePart>
    ) : null;
  };
}

/** Rendering the component loads it again and reports the error. */
function ignored(): void {}
