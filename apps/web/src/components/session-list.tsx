/** Signed-in browsers, each with a button that ends its session. The caller provides the sessions. */
import type { SessionRow } from "@gateway/shared/accounts/session";
import { Badge, Button, Group, Skeleton, Text } from "@mantine/core";
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Empty, LoadError } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";

type SessionListProps = {
  /** Undefined while loading. */
  sessions: SessionRow[] | undefined;
  error?: unknown;
  onRetry?: () => void;
  /** Ends a session. Not offered for the current browser, nor when missing. */
  onEnd?: (id: string) => void;
  /** The session that is being ended. */
  ending?: string;
};

export function SessionList({ sessions, error, onRetry, onEnd, ending }: SessionListProps) {
  const { t } = useTranslation();
  if (error && !sessions) return <LoadError error={error} onRetry={onRetry} />;
  if (!sessions) return <Skeleton height={56} radius="md" />;
  if (sessions.length === 0)
    return <Empty compact icon={IconDeviceDesktop} title={t("Not signed in anywhere")} />;
  return (
    <LineList>
      {sessions.map((session) => {
        const device = describeAgent(session.user_agent);
        const Picture = device.phone ? IconDeviceMobile : IconDeviceDesktop;
        const name = device.name || t("Unknown device");
        return (
          <Line
            key={session.id}
            picture={<Picture size={18} stroke={1.6} />}
            title={
              <Group gap={8}>
                <Text fw={500} title={session.user_agent}>
                  {name}
                </Text>
                {session.current ? <Badge color="green">{t("Current")}</Badge> : null}
              </Group>
            }
            detail={
              <>
                {session.ip} · {t("last seen")} <RelativeTime seconds={session.last_seen} />
              </>
            }
            action={
              onEnd && !session.current ? (
                <Button
                  variant="default"
                  size="compact-sm"
                  loading={ending === session.id}
                  aria-label={t("Sign out {{device}}", { device: `${name}, ${session.ip}` })}
                  onClick={() => onEnd(session.id)}
                >
                  {t("Sign out")}
                </Button>
              ) : null
            }
          />
        );
      })}
    </LineList>
  );
}

const browsers: [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/curl\//, "curl"],
];
const systems: [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** Parses a user agent: "Chrome, macOS". */
function describeAgent(agent: string): { name: string; phone: boolean } {
  const nameIn = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(agent))?.[1];
  const parts = [nameIn(browsers), nameIn(systems)].filter(Boolean);
  return {
    name: parts.join(", "),
    phone: agent.includes("iPhone") || (agent.includes("Android") && agent.includes("Mobile")),
  };
}
