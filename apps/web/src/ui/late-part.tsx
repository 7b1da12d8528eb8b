/** A lazy-loaded dialog or menu. When its code fails to load, only this part is missing. */
import i18next from "i18next";
import { type ReactNode, Suspense, useEffect } from "react";
import { isMissingCode, reloadOnce } from "#lib/missing-code.ts";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import { toast } from "#ui/toast.tsx";

/** @param fallback shown while loading, and permanently when loading fails */
export function LatePart({ fallback = null, children }: { fallback?: ReactNode; children: ReactNode }) {
  return (
    <ErrorBoundary shown={(error) => <NotLoaded error={error}>{fallback}</NotLoaded>}>
      <Suspense fallback={fallback}>{children}</Suspense>
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
