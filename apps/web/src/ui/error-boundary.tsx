/** Catches render errors of a screen or card, so that everything around it stays. */
import { Box, Button, Group, Skeleton } from "@mantine/core";
import { IconAlertTriangle, IconCloudOff } from "@tabler/icons-react";
import { Component, type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { hasLeaveGuard } from "#lib/address/history.ts";
import { malformed } from "#lib/errors/error-text.ts";
import { isMissingCode, reloadOnce } from "#lib/errors/missing-code.ts";
import { DataFormatError } from "#lib/http.ts";
import { onReachabilityChange, useReachability } from "#lib/live/connection.ts";
import { Empty } from "#ui/empty.tsx";

type Fallback = (error: unknown, retry: () => void) => ReactNode;

type BoundaryProps = {
  /** A new value renders the children again; for a screen, its address. */
  resetKey?: string;
  /** Default: a message in place of the children. */
  fallback?: Fallback;
  children: ReactNode;
};
type BoundaryState = { broken?: { error: unknown } | undefined; resetKey?: string | undefined };

export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { broken: { error } };
  }

  static getDerivedStateFromProps({ resetKey }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return resetKey === state.resetKey ? null : { resetKey, broken: undefined };
  }

  retry = () => this.setState({ broken: undefined });

  override render() {
    const { broken } = this.state;
    if (!broken) return this.props.children;
    const { fallback = (error, retry) => <ErrorMessage error={error} onRetry={retry} /> } = this.props;
    return fallback(broken.error, this.retry);
  }
}

type BrokenProps = { error: unknown; onRetry: () => void; heading?: boolean };

/** @param heading whether the message replaces a whole screen */
export function ErrorMessage({ error, onRetry, heading = false }: BrokenProps) {
  const { t } = useTranslation();
  if (isMissingCode(error)) return <Missing heading={heading} />;
  return (
    <Empty
      heading={heading}
      compact={!heading}
      icon={IconAlertTriangle}
      title={heading ? t("This screen cannot be shown") : t("This part cannot be shown")}
      hint={
        // Reading a field that a response lacks. The browser's console has the error itself.
        error instanceof TypeError || error instanceof DataFormatError ? (
          t(malformed)
        ) : (
          <>
            {t("An error occurred in the console. Try again, or reload the page.")}
            {error instanceof Error && error.message !== "" ? (
              <Box component="pre" fz="xs" mt="sm" mb={0} style={{ whiteSpace: "pre-wrap" }}>
                {error.message}
              </Box>
            ) : null}
          </>
        )
      }
      action={
        <Group gap="xs" justify="center">
          <Button onClick={onRetry}>{t("Try again")}</Button>
          <Button variant="default" onClick={() => window.location.reload()}>
            {t("Reload")}
          </Button>
        </Group>
      }
    />
  );
}

/**
 * Shown when code failed to load. Reloads the page once; if
 * that does not help or the connection is lost, shows an error.
 */
function Missing({ heading }: { heading: boolean }) {
  const { t } = useTranslation();
  const reach = useReachability();
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    void reloadOnce().then((reloads) => setSettled(!reloads));
    return onReachabilityChange((now) => {
      if (now === "reached" && !hasLeaveGuard()) window.location.reload();
    });
  }, []);
  if (!settled) return <Skeleton height={heading ? 320 : 120} radius="lg" />;
  const lost = reach !== "reached";
  return (
    <Empty
      heading={heading}
      compact={!heading}
      icon={IconCloudOff}
      title={heading ? t("This screen could not be loaded") : t("This part could not be loaded")}
      hint={
        lost
          ? t("There is no connection to the server. The page loads again when the connection is back.")
          : t("A new version was probably installed while this page was open. Reload the page to use it.")
      }
      action={<Button onClick={() => window.location.reload()}>{t("Reload")}</Button>}
    />
  );
}
