/** Pages whose code is loaded on the first visit. */
import { type ComponentType, lazy, type ReactNode, useState } from "react";

export type Loadable<Props, Exports> = ((props: Props) => ReactNode) & {
  /** Loads the code ahead of the first visit. */
  load: () => Promise<Exports>;
};

/**
 * Returns a page that renders at once if its code is loaded. One that `lazy` alone returns suspends nevertheless, and React
 * keeps a placeholder that has appeared for 300 ms.
 */
export function loadable<Props extends object, Exports extends object>(
  fetchPage: () => Promise<Exports & { default: (props: Props) => ReactNode }>,
): Loadable<Props, Exports> {
  let loaded: ComponentType<Props> | undefined;
  let loading: ReturnType<typeof fetchPage> | undefined;
  async function fetchAndKeep(): ReturnType<typeof fetchPage> {
    try {
      const page = await fetchPage();
      loaded = page.default;
      return page;
    } catch (error) {
      // The next visit tries again.
      loading = undefined;
      throw error;
    }
  }
  const load = () => (loading ??= fetchAndKeep());
  // TypeScript does not compute the props of a lazy component while they are generic.
  const Late = lazy(load) as unknown as ComponentType<Props>;
  function Page(props: Props) {
    // The same component until it is unmounted, so that its state stays.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Late);
    return <Shown {...props} />;
  }
  return Object.assign(Page, { load });
}
