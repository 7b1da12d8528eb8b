/** Status and cost of a task, for both lists and the details. */
import { Progress, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { isOpen, statusLabels } from "./task-labels.ts";
import type { TaskSummary } from "./task-summary.ts";

export function TaskState({ task }: { task: Pick<TaskSummary, "status" | "percent"> }) {
  const { t } = useTranslation("tasks");
  const { tone, text } = statusLabels[task.status];
  if (!isOpen(task)) return <StatusDot tone={tone}>{t(text)}</StatusDot>;
  return (
    <Stack gap={5} maw={130}>
      <span style={{ whiteSpace: "nowrap" }}>
        <StatusDot tone={tone}>{t(text)}</StatusDot>{" "}
        <Text span c="dimmed" fz="xs" className="tabular">
          {task.percent}%
        </Text>
      </span>
      <Progress value={Math.max(4, task.percent)} size={4} animated aria-label={t("Progress")} />
    </Stack>
  );
}

/** @param column its column in a table; undefined elsewhere */
export function TaskCost({
  task,
  column,
}: {
  task: Pick<TaskSummary, "quota" | "refunded">;
  column?: string | undefined;
}) {
  const { t } = useTranslation("tasks");
  const amount = <Amount column={column} points={task.quota} charge />;
  if (!task.refunded) return amount;
  return (
    <span style={{ whiteSpace: "nowrap" }}>
      <Text span fz="xs" c="dimmed">
        {t("refunded")}
      </Text>{" "}
      <Text span c="dimmed" td="line-through" fz="inherit">
        {amount}
      </Text>
    </span>
  );
}
