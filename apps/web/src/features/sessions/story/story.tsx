/** The calls of a session in their order: a track per agent, the tools that it used, and how the cost grew. */
import type { AgentSession } from "@gateway/shared/usage/session";
import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { buildAgentTree } from "#features/sessions/agent-tree.ts";
import { sessionCallsQuery } from "#features/sessions/api.ts";
import { useMayEnter } from "#lib/session.ts";
import { seriesColors } from "#ui/charts/chart-colors.ts";
import { LoadError } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";
import { FilterSelect } from "#ui/table/filters.tsx";
import { CostCurve } from "./cost-curve.tsx";
import { StoryRows } from "./story-rows.tsx";
import { type Track, assignTracks, MOST_TRACKS } from "./tracks.ts";
import classes from "./story.module.css";

const MAIN = "main";

export function Story({ session }: { session: AgentSession }) {
  const { t } = useTranslation("sessions");
  const seesAll = useMayEnter("logs");
  const query = useQuery(sessionCallsQuery(session.id, seesAll ? session.user_id : 0));
  const [agent, setAgent] = useState("");
  const calls = query.data?.data;
  const agents = useMemo(() => buildAgentTree(session.agents).map((row) => row.agent), [session.agents]);
  const tracks = useMemo(() => assignTracks(agents, seriesColors(agents.slice(0, MOST_TRACKS))), [agents]);
  const nameOf = (name: string) => (name === "" ? t("Main agent") : name);
  const search = new URLSearchParams({ session: session.id, range: "all" });
  const shown = agent === "" ? calls : calls?.filter((call) => call.agent === (agent === MAIN ? "" : agent));
  return (
    <Section padding={0} className={classes.story ?? ""}>
      <div data-list className={classes.list}>
        <Group justify="space-between" gap="sm" className={classes.head ?? ""} data-filters>
          <Legend tracks={tracks} nameOf={nameOf} more={agents.length - tracks.shown.length} />
          <Group gap="xs" wrap="nowrap">
            {agents.length > 1 ? (
              <FilterSelect
                label={t("Agent")}
                value={agent}
                onChange={setAgent}
                data={agents.map((name) => ({ value: name === "" ? MAIN : name, label: nameOf(name) }))}
              />
            ) : null}
            <Button component={Link} to={`/panel/log?${search}`} variant="default">
              {t("Open the log")}
            </Button>
          </Group>
        </Group>
        {query.error && !calls ? (
          <LoadError error={query.error} onRetry={() => void query.refetch()} />
        ) : shown === undefined ? (
          <Skeleton height={320} m="md" aria-busy />
        ) : (
          <>
            <CostCurve calls={shown} />
            <StoryRows calls={shown} tracks={tracks} nameOf={nameOf} />
          </>
        )}
      </div>
      {query.data?.complete === false ? (
        <Text fz="sm" c="dimmed" p="sm">
          {t("The story has the newest 5,000 calls. The log has all of them.")}
        </Text>
      ) : null}
    </Section>
  );
}

type LegendProps = {
  tracks: ReturnType<typeof assignTracks>;
  nameOf: (agent: string) => string;
  /** Agents without a track of their own. */
  more: number;
};

function Legend({ tracks, nameOf, more }: LegendProps) {
  const { t } = useTranslation("sessions");
  const entry = ({ color }: Pick<Track, "color">, name: string) => (
    <li key={name}>
      <span className={classes.swatch} style={{ background: color }} aria-hidden />
      <bdi title={name}>{name}</bdi>
    </li>
  );
  return (
    <ul className={classes.legend} aria-label={t("Agents")}>
      {tracks.shown.map((track) => entry(track, nameOf(track.agent)))}
      {more > 0 ? entry({ color: tracks.rest.color }, t("{{count}} more agents", { count: more })) : null}
    </ul>
  );
}
