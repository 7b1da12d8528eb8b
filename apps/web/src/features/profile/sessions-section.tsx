import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { SessionList } from "#components/session-list.tsx";
import { Section } from "#ui/page/page.tsx";
import { toast } from "#ui/toast.tsx";
import { sessionsQuery, useEndSession } from "./api.ts";

export function SessionsSection() {
  const { t } = useTranslation("profile");
  const sessions = useQuery(sessionsQuery);
  const end = useEndSession();
  const endAll = end.isPending && end.variables === undefined;
  const others = sessions.data?.some((session) => !session.current) ?? false;
  const tell = () => toast.success(t("Device signed out"));
  return (
    <Section
      title={t("Signed-in devices")}
      hint={t("Sign out devices that you do not recognize or no longer use.")}
      aside={
        others ? (
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            loading={endAll}
            onClick={() => end.mutate(undefined, { onSuccess: tell })}
          >
            {t("Sign out all others")}
          </Button>
        ) : null
      }
    >
      <SessionList
        sessions={sessions.data}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        onEnd={(id) => end.mutate(id, { onSuccess: tell })}
        {...(end.isPending && end.variables !== undefined ? { ending: end.variables } : {})}
      />
    </Section>
  );
}
