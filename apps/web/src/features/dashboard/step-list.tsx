/** Steps of getting started side by side, each with a mark and links. */
import { Button, Group, Text, ThemeIcon } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import classes from "./dashboard.module.css";

export type SetupStep = {
  id: string;
  title: string;
  hint: string;
  done: boolean;
  to: string;
  action: string;
  other?: { to: string; action: string };
};

/** @param offers returns whether the links of the step are shown */
export function StepList({ steps, offers }: { steps: SetupStep[]; offers: (step: SetupStep) => boolean }) {
  const { t } = useTranslation("dashboard");
  return (
    <ol className={classes.steps} style={{ "--steps": steps.length } as CSSProperties}>
      {steps.map((step, index) => (
        <li key={step.id} data-next={offers(step) || undefined}>
          <ThemeIcon
            size={26}
            radius="xl"
            variant={step.done ? "filled" : "default"}
            color={step.done ? "green.6" : undefined}
          >
            {step.done ? <IconCheck size={15} aria-label={t("Done")} /> : <span>{index + 1}</span>}
          </ThemeIcon>
          <div className={classes.stepText}>
            <Text fw={600}>{step.title}</Text>
            <Text fz="sm" c="dimmed">
              {step.hint}
            </Text>
            {offers(step) ? (
              <Group gap="xs" mt="sm">
                <Button component={Link} to={step.to} size="xs">
                  {step.action}
                </Button>
                {step.other ? (
                  <Button component={Link} to={step.other.to} size="xs" variant="default">
                    {step.other.action}
                  </Button>
                ) : null}
              </Group>
            ) : null}
          </div>
        </li>
      ))}
    </ol>
  );
}
