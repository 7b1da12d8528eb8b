/** The page of an agent's session: totals, its calls as a story, agents as a tree, models, and moves. */
import type { AgentSession } from "@gateway/shared/usage/session";
import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams, useSearchParams } from "react-router-dom";
import { formatDuration, formatTime, useFormat } from "#lib/format/quota.ts";
import { useMayEnter } from "#lib/session.ts";
import { usePageTitle } from "#lib/site.ts";
import { CopyButton } from "#ui/copy.tsx";
import { Stat, Stats } from "#ui/figures/stats.tsx";
import { BackLink, idOf, UnloadedObject } from "#ui/page/object-page.tsx";
import { Halves } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { sessionQuery } from "./api.ts";
import { AgentTable, ChannelTable, ErrorTable, ModelTable, MoveTable } from "./session-tables.tsx";
import { titleOf } from "./session-title.ts";
import { Story } from "./story/story.tsx";
import classes from "./sessions.module.css";

export default function SessionPage() {
  const { t } = useTranslation("sessions");
  const { id = "" } = useParams();
  const [search] = useSearchParams();
  const userId = idOf(search.get("user") ?? undefined);
  usePageTitle(t("Session"));
  const session = useQuery(sessionQuery(id, userId));
  return (
    <>
      <BackLink to="/panel/session" label={t("All sessions")} />
      {session.data ? (
        <SessionDetails key={`${userId} ${id}`} session={session.data} />
      ) : (
        <UnloadedObject
          error={session.error}
          onRetry={() => void session.refetch()}
          missing={t("No calls of this session were found")}
          list={{ to: "/panel/session", label: t("All sessions") }}
        />
      )}
    </>
  );
}

function SessionDetails({ session }: { session: AgentSession }) {
  const { t } = useTranslation("sessions");
  const hasMoves = (session.move_list ?? []).length > 0;
  const failed = session.errors.length > 0 ? <ErrorTable session={session} /> : null;
  return (
    <Stack gap="md">
      <Heading session={session} />
      <Totals session={session} />
      <Story session={session} />
      <AgentTable session={session} />
      <Halves>
        <ModelTable session={session} />
        {session.channels ? <ChannelTable channels={session.channels} /> : null}
        {hasMoves && session.move_list ? <MoveTable moves={session.move_list} /> : null}
        {hasMoves && failed}
      </Halves>
      {hasMoves ? null : failed}
      {session.complete ? null : (
        <Text fz="sm" c="dimmed">
          {t("This session has more calls. The figures cover the newest 20,000.")}
        </Text>
      )}
    </Stack>
  );
}

function Heading({ session }: { session: AgentSession }) {
  const { t } = useTranslation("sessions");
  const seesAll = useMayEnter("logs");
  const seesUsers = useMayEnter("users");
  const { first_at: first, last_at: last } = session;
  return (
    <div>
      <h1 className={classes.title}>
        <bdi>{titleOf(t, { ...session, model_name: session.models[0]?.name ?? "" })}</bdi>
      </h1>
      <Group gap={4} wrap="nowrap" align="center">
        <Text fz="sm" c="dimmed" className={classes.id ?? ""}>
          {session.id}
        </Text>
        <CopyButton text={session.id} label={t("Session ID")} />
      </Group>
      <Text c="dimmed" fz="sm" mt={4}>
        {seesAll ? (
          <>
            {seesUsers ? (
              <QuietLink to={`/panel/user/${session.user_id}`}>{session.username}</QuietLink>
            ) : (
              session.username
            )}
            {" · "}
          </>
        ) : null}
        {t("{{from}} to {{to}}, {{duration}}", {
          from: formatTime(first),
          to: formatTime(last),
          duration: formatDuration((last - first) * 1000),
        })}
      </Text>
    </div>
  );
}

function Totals({ session }: { session: AgentSession }) {
  const { t } = useTranslation("sessions");
  const format = useFormat();
  const { totals, moves } = session;
  const net = totals.saved - totals.write_extra;
  return (
    <Stats columns={5}>
      <Stat
        title={t("Cost")}
        value={format.quota(totals.quota)}
        exact={format.exact(totals.quota)}
        line={t("{{count}} models", { count: session.models.length })}
      />
      <Stat
        title={t("Requests")}
        value={format.whole(totals.calls)}
        bad={totals.calls > 0 && totals.failed / totals.calls >= 0.05 ? "line" : undefined}
        line={t("{{count}} failed", { count: totals.failed })}
      />
      <Stat
        title={t("Tokens used")}
        value={format.short(totals.input + totals.output)}
        exact={format.whole(totals.input + totals.output)}
        line={t("{{input}} in, {{output}} out", {
          input: format.short(totals.input),
          output: format.short(totals.output),
        })}
      />
      <Stat
        title={t("Input from the cache")}
        about={t(
          "Share of input tokens that the provider read from its prompt cache. Savings are the difference to the regular input price, minus the surcharge for cache writes.",
        )}
        value={format.percent(totals.cached / totals.input)}
        line={
          net < 0
            ? t("{{amount}} more than without caching", { amount: format.quota(-net) })
            : t("{{amount}} saved", { amount: format.quota(net) })
        }
      />
      <Stat
        title={t("Channel moves")}
        about={t(
          "Calls that used a different channel than the previous call of the same agent and model. The loss is the cost of cached input that the new channel read again at the full price.",
        )}
        value={format.whole(moves.count)}
        exact={format.exact(moves.cost)}
        line={t("{{amount}} lost", { amount: format.quota(moves.cost) })}
      />
    </Stats>
  );
}
