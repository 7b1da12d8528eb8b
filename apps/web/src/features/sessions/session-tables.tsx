/** The parts of a session as tables: agents, models, channels, moves, errors. */
import type { AgentSession, CallSums, ChannelMove } from "@gateway/shared/usage/session";
import { Button } from "@mantine/core";
import { IconCornerDownRight } from "@tabler/icons-react";
import { type CSSProperties, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { pathOfCall } from "#lib/address/call-address.ts";
import { modelAddress } from "#lib/address/model-address.ts";
import { useFormat } from "#lib/format/quota.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { useMayEnter } from "#lib/session.ts";
import { Figures } from "#ui/figures/figures.tsx";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { buildAgentTree } from "./agent-tree.ts";
import classes from "./sessions.module.css";

/** Rows of the table before "Show all". */
const SHORT = 15;

export function AgentTable({ session }: { session: AgentSession }) {
  const { t } = useTranslation("sessions");
  const [all, setAll] = useState(false);
  const rows = buildAgentTree(session.agents);
  const shown = all ? rows : rows.slice(0, SHORT);
  return (
    <Section title={t("Agents")}>
      <SumTable
        label={t("Agents")}
        first={t("Agent")}
        wraps={false}
        rows={shown.map((row) => ({
          key: row.agent,
          name: (
            <span className={classes.agent} style={{ "--depth": row.depth } as CSSProperties}>
              {row.depth > 0 ? <IconCornerDownRight size={14} stroke={1.7} aria-hidden /> : null}
              {row.agent === "" ? t("Main agent") : row.agent}
            </span>
          ),
          sums: row,
        }))}
      />
      {rows.length > shown.length ? (
        <Button variant="default" size="xs" mt="sm" onClick={() => setAll(true)}>
          {t("Show all {{count}} agents", { count: rows.length })}
        </Button>
      ) : null}
    </Section>
  );
}

export function ModelTable({ session }: { session: AgentSession }) {
  const { t } = useTranslation("sessions");
  return (
    <Section title={t("Models")}>
      <SumTable
        label={t("Models")}
        first={t("Model")}
        rows={session.models.map((row) => ({
          key: row.name,
          name: <QuietLink to={modelAddress(row.name, true)}>{row.name || t("Unknown")}</QuietLink>,
          sums: row,
        }))}
      />
    </Section>
  );
}

export function ChannelTable({ channels }: { channels: NonNullable<AgentSession["channels"]> }) {
  const { t } = useTranslation("sessions");
  return (
    <Section title={t("Channels")}>
      <SumTable
        label={t("Channels")}
        first={t("Channel")}
        rows={channels.map((row) => ({
          key: String(row.id),
          name: <ChannelName id={row.id} name={row.name} />,
          sums: row,
        }))}
      />
    </Section>
  );
}

function ChannelName({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation("sessions");
  const seesChannels = useMayEnter("channels");
  const text = name || t("Deleted channel");
  if (!seesChannels || name === "") return text;
  return <QuietLink to={`/panel/channel/${id}`}>{text}</QuietLink>;
}

type SumTableProps = {
  label: string;
  /** Title of the first column. */
  first: string;
  rows: { key: string; name: ReactNode; sums: CallSums }[];
  /** Wraps long names; otherwise the table scrolls on a phone. */
  wraps?: boolean;
};

function SumTable({ label, first, rows, wraps = true }: SumTableProps) {
  const { t } = useTranslation("sessions");
  const format = useFormat();
  // With all columns, a name would have space for three letters per line.
  const phone = useIsPhone();
  return (
    <Figures label={label} wraps={wraps} amounts={{ cost: rows.map(({ sums }) => sums.quota) }}>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col">{t("Requests")}</th>
          <th scope="col">{t("Failed")}</th>
          {phone ? null : (
            <>
              <th scope="col">{t("Input")}</th>
              <th scope="col">{t("Cached")}</th>
              <th scope="col">{t("Output")}</th>
            </>
          )}
          <th scope="col">{t("Cost")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, sums }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td>{format.whole(sums.calls)}</td>
            <td data-quiet={sums.failed === 0 || undefined}>{format.whole(sums.failed)}</td>
            {phone ? null : (
              <>
                <td title={format.whole(sums.input)}>{format.short(sums.input)}</td>
                <td>{format.percent(sums.cached / sums.input)}</td>
                <td title={format.whole(sums.output)}>{format.short(sums.output)}</td>
              </>
            )}
            <td>
              <Amount column="cost" points={sums.quota} />
            </td>
          </tr>
        ))}
      </tbody>
    </Figures>
  );
}

export function MoveTable({ moves }: { moves: ChannelMove[] }) {
  const { t } = useTranslation("sessions");
  const format = useFormat();
  return (
    <Section title={t("Most expensive channel moves")}>
      <Figures
        label={t("Most expensive channel moves")}
        wraps
        amounts={{ cost: moves.map((move) => move.cost) }}
      >
        <thead>
          <tr>
            <th scope="col">{t("Channel")}</th>
            <th scope="col">{t("Time")}</th>
            <th scope="col">{t("Tokens no longer cached")}</th>
            <th scope="col">{t("Cost")}</th>
          </tr>
        </thead>
        <tbody>
          {moves.map((move) => (
            <tr key={move.request_id}>
              <th scope="row">
                <QuietLink to={pathOfCall(move.request_id)}>
                  {t("{{from}} → {{to}}", {
                    from: move.from_channel_name || t("Deleted channel"),
                    to: move.to_channel_name || t("Deleted channel"),
                  })}
                </QuietLink>
              </th>
              <td>
                <RelativeTime inList seconds={move.created_at} />
              </td>
              <td>{format.whole(move.lost)}</td>
              <td>
                <Amount column="cost" points={move.cost} />
              </td>
            </tr>
          ))}
        </tbody>
      </Figures>
    </Section>
  );
}

export function ErrorTable({ session }: { session: AgentSession }) {
  const { t } = useTranslation("sessions");
  const format = useFormat();
  return (
    <Section title={t("Failed calls")}>
      <Figures label={t("Failed calls")} wraps>
        <tbody>
          {session.errors.map(({ error_code: code, count }) => {
            const label = failureLabel(code);
            const search = new URLSearchParams({ session: session.id, error_code: code, range: "all" });
            return (
              <tr key={code}>
                <th scope="row">
                  <QuietLink to={`/panel/log?${search}`}>{label === undefined ? code : t(label)}</QuietLink>
                </th>
                <td>{format.whole(count)}</td>
              </tr>
            );
          })}
        </tbody>
      </Figures>
    </Section>
  );
}
