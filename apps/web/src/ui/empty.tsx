/** The empty state of a list or screen: the reason and the next step. */
import { Box, Button, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCloudOff, IconInbox, type Icon } from "@tabler/icons-react";
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { markShown } from "#lib/errors/shown-errors.ts";
import { ApiError, isTimeout } from "#lib/http.ts";

type EmptyProps = {
  title: string;
  hint?: ReactNode;
  action?: ReactNode;
  icon?: Icon;
  /** Replaces the icon. */
  picture?: ReactNode;
  compact?: boolean;
  /** It replaces a whole screen: its title is the page's heading. */
  heading?: boolean;
};

export function Empty({ title, hint, action, icon: Picture = IconInbox, picture, ...looks }: EmptyProps) {
  const { compact = false, heading = false } = looks;
  return (
    <Stack align="center" gap={6} py={compact ? "lg" : 56} px="md" ta="center">
      {picture ? (
        <Box w="100%" maw={600} mb="md" ta="start">
          {picture}
        </Box>
      ) : (
        <ThemeIcon variant="default" size={44} radius="lg" c="dimmed" mb={6}>
          <Picture size={22} stroke={1.6} />
        </ThemeIcon>
      )}
      {heading ? (
        <Title order={1} fz={20}>
          {title}
        </Title>
      ) : (
        <Text fw={600}>{title}</Text>
      )}
      {hint ? (
        <Text component="div" c="dimmed" fz="sm" maw={420} style={{ textWrap: "balance" }}>
          {hint}
        </Text>
      ) : null}
      {action ? <div style={{ marginTop: 10 }}>{action}</div> : null}
    </Stack>
  );
}

type LoadErrorProps = { error: unknown; onRetry?: (() => void) | undefined; heading?: boolean };

/** The error state of a failed request. After a rate limit it retries automatically. */
export function LoadError({ error, onRetry, heading = false }: LoadErrorProps) {
  const { t } = useTranslation();
  useLayoutEffect(() => markShown(error), [error]);
  const early = error instanceof ApiError && error.status === 429;
  return (
    <Empty
      heading={heading}
      icon={IconCloudOff}
      title={isTimeout(error) ? t("This took too long to load") : t("This could not be loaded")}
      hint={errorReason(error, t)}
      action={
        onRetry ? (
          <Stack gap={6} align="center">
            <Button variant="default" onClick={onRetry}>
              {t("Try again")}
            </Button>
            {early ? <Countdown error={error} onEnd={onRetry} /> : null}
          </Stack>
        ) : null
      }
    />
  );
}

/** Wait time when the server sends none. */
const DEFAULT_WAIT_SECONDS = 15;

function Countdown({ error, onEnd }: { error: ApiError; onEnd: () => void }) {
  const { t } = useTranslation();
  const seconds = Math.max(1, Math.ceil(error.retryAfter ?? DEFAULT_WAIT_SECONDS));
  const [end, setEnd] = useState(() => Date.now() + seconds * 1000);
  const [secondsLeft, setLeft] = useState(seconds);
  const tick = useEffectEvent(() => {
    const rest = Math.ceil((end - Date.now()) / 1000);
    setLeft(Math.max(0, rest));
    if (rest > 0) return;
    // The next rejection sends a new wait time. Without one, the same time applies again.
    setEnd(Date.now() + seconds * 1000);
    onEnd();
  });
  useEffect(() => {
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Text fz="sm" c="dimmed" className="tabular" role="timer">
      {t("Trying again in {{seconds}} s", { seconds: secondsLeft })}
    </Text>
  );
}

type QueryFallbackProps = { query: { error: Error | null; refetch: () => unknown }; children: ReactNode };

/** In place of the data of a query: the children while it loads, and its error if it fails. */
export function QueryFallback({ query: { error, refetch }, children }: QueryFallbackProps) {
  return error ? <LoadError error={error} onRetry={() => void refetch()} /> : children;
}
