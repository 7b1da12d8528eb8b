/** Time, tokens and cost of an answer in one line. The cost has its calculation in a tooltip, and links to the call. */
import { Text, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { pathOfCall } from "#lib/address/call-address.ts";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { nameOfBillLine } from "#lib/labels/usage-kinds.ts";
import { QuietLink } from "#ui/quiet-link.tsx";
import type { Answer, Charge } from "./chat.ts";
import classes from "./playground.module.css";

export function AnswerFacts({ answer }: { answer: Answer }) {
  const { t } = useTranslation("playground");
  const format = useFormat();
  const { usage, charge, requestId } = answer;
  const facts: ReactNode[] = [];
  if (answer.duration > 0)
    facts.push(
      <Tooltip label={t("First token after {{time}}", { time: formatDuration(answer.firstWord) })}>
        <span tabIndex={0}>{formatDuration(answer.duration)}</span>
      </Tooltip>,
    );
  if (usage)
    facts.push(
      t("{{input}} in, {{output}} out", {
        input: format.whole(usage.input),
        output: format.whole(usage.output),
      }),
    );
  if (charge)
    facts.push(
      <Tooltip label={<Sum charge={charge} />} disabled={charge.lines.length === 0}>
        <QuietLink to={pathOfCall(requestId)}>
          {t("Cost {{amount}}", { amount: format.charge(charge.points) })}
          {charge.estimated ? ` (${t("estimated")})` : ""}
        </QuietLink>
      </Tooltip>,
    );
  return (
    <Text component="div" c="dimmed" fz="xs" className={classes.facts}>
      {facts.map((fact, place) => (
        // The order of the facts never changes.
        <span key={place}>{fact}</span>
      ))}
    </Text>
  );
}

function Sum({ charge }: { charge: Charge }) {
  const { t } = useTranslation("playground");
  const format = useFormat();
  return (
    <table className={classes.sum}>
      <tbody>
        {charge.lines.map((line) => (
          <tr key={line.kind}>
            <th scope="row">{t(nameOfBillLine(line.kind))}</th>
            <td>
              {format.whole(line.amount)} × {line.ratio}
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">{t("Group ratio")}</th>
          <td>× {charge.groupRatio}</td>
        </tr>
        <tr>
          <th scope="row">{t("Points")}</th>
          <td>{format.whole(charge.points)}</td>
        </tr>
      </tbody>
    </table>
  );
}
