/** Dialogs, drawers and other parts of a page that are loaded when they are first rendered. */
import { Center, Loader } from "@mantine/core";
import i18next from "i18next";
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { isMissingCode, reloadOnce } from "#lib/errors/missing-code.ts";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import { toast } from "#ui/toast.tsx";
import classes from "./lazy-part.module.css";

/**
 * Returns a component whose code is loaded when it is first rendered.
 * @param isOpen for a drawer that is always rendered: whether it is open. It is loaded when it first is.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isOpen: (props: Props) => boolean = () => true,
): (props: Props) => ReactNode {
  const Part = lazy(async () => ({ default: await load() }));
  return function LazyPart(props) {
    const [isRendered, setWanted] = useState(false);
    if (!isRendered && isOpen(props)) setWanted(true);
    return isRendered ? (
      <LazyBoundary loading={<Loading />}>
        <Part {...props} />
      </LazyBoundary>
    ) : null;
  };
}

/** In the middle of the window, where it moves nothing. */
function Loading() {
  const { t } = useTranslation();
  return (
    <Center className={classes.loading ?? ""}>
      <Loader aria-label={t("Loading")} />
    </Center>
  );
}

/**
 * @param fallback shown while loading, and permanently when loading fails
 * @param loading shown while loading in place of `fallback`
 */
export function LazyBoundary({
  fallback = null,
  loading = fallback,
  children,
}: {
  fallback?: ReactNode;
  loading?: ReactNode;
  children: ReactNode;
}) {
  return (
    <ErrorBoundary fallback={(error) => <NotLoaded error={error}>{fallback}</NotLoaded>}>
      <Suspense fallback={loading}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function NotLoaded({ error, children }: { error: unknown; children: ReactNode }) {
  useEffect(() => {
    void reportMissing(error);
  }, [error]);
  return children;
}

/** Reloads the page once if it is older than the server's files. Otherwise tells the user. */
export async function reportMissing(error: unknown): Promise<void> {
  if (isMissingCode(error) && (await reloadOnce())) return;
  toast.error(i18next.t("This could not be loaded. Reload the page."));
}
