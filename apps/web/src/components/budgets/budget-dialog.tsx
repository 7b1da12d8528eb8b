/** Sets the daily, weekly, monthly and session budget of an account, each member of a group, or an API key. */
import {
  Budget,
  budgetFields,
  budgetPeriods,
  type BudgetTarget,
  type BudgetView,
} from "@gateway/shared/accounts/budget";
import { Button, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PointsInput } from "#components/points-input.tsx";
import { phrase } from "#lib/i18n.ts";
import { budgetFieldNames } from "#lib/labels/budget-fields.ts";
import { budgetQuery, useSetBudget } from "#lib/queries/budgets.ts";
import { QueryFallback } from "#ui/empty.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { type SchemaForm, showFieldErrors, useSchemaForm } from "#ui/form/form.ts";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { toast } from "#ui/toast.tsx";
import { BudgetBars } from "./budget-bars.tsx";
import classes from "./budget-dialog.module.css";

type DialogProps = { target: BudgetTarget; id: number; name: string; onClose: () => void };

const hints: Record<BudgetTarget, string> = {
  user: phrase(
    "Applies to all API keys of this account combined. The user can see the budget but not change it.",
  ),
  group: phrase("Applies to each member separately. A member's own budget takes precedence."),
  token: phrase(
    "Applies in addition to the limits that the owner sets. The owner can see the budget but not change it.",
  ),
};

export function BudgetDialog({ target, id, name, onClose }: DialogProps) {
  const { t } = useTranslation();
  const budget = useQuery({ ...budgetQuery(target, id), staleTime: 0, gcTime: 0 });
  return (
    <HelpModal
      help="limits#spending"
      opened
      onClose={onClose}
      size="lg"
      title={t("Budget of {{name}}", { name })}
    >
      <Stack>
        <Text c="dimmed">{t(hints[target])}</Text>
        {budget.data ? (
          <BudgetForm target={target} id={id} view={budget.data} onClose={onClose} />
        ) : (
          <QueryFallback query={budget}>
            <Skeleton height={260} />
          </QueryFallback>
        )}
      </Stack>
    </HelpModal>
  );
}

const nothing: Budget = {
  daily_spend: 0,
  daily_notify: 0,
  weekly_spend: 0,
  weekly_notify: 0,
  monthly_spend: 0,
  monthly_notify: 0,
  session_spend: 0,
};

type FormProps = Omit<DialogProps, "name"> & { view: BudgetView };

function BudgetForm({ target, id, view, onClose }: FormProps) {
  const { t } = useTranslation();
  const set = useSetBudget(target, id);
  // Without a budget of the group, an own one is what the dialog was opened for.
  const [chosen, setChosen] = useState<boolean | null>(null);
  const own = chosen ?? (view.budget !== null || target !== "user" || view.inherited === null);
  const form = useSchemaForm(Budget, view.budget ?? nothing);
  const save = (budget: Budget | null) =>
    set.mutate(budget, {
      onSuccess: () => {
        toast.success(t("Budget saved"));
        onClose();
      },
      onError: (error) => void showFieldErrors(form, error, t),
    });
  const isEmpty = Object.values(form.values).every((amount) => amount === 0);
  // An empty own budget that was chosen means no limit, whatever the group has.
  const isOwn = target === "user" && (chosen === true || view.budget !== null);
  const submit = form.onSubmit((values) => save(isOwn || !isEmpty ? Budget.parse(values) : null));
  return (
    <form
      noValidate
      onSubmit={(event) => {
        if (own) return submit(event);
        event.preventDefault();
        save(null);
      }}
    >
      <Stack>
        {target === "user" ? (
          <SegmentedControl
            fullWidth
            aria-label={t("Budget")}
            data={[
              { value: "group", label: t("Budget of the group") },
              { value: "own", label: t("Own budget") },
            ]}
            value={own ? "own" : "group"}
            onChange={(value) => setChosen(value === "own")}
          />
        ) : null}
        {own ? (
          <Fields form={form} />
        ) : view.inherited === null ? (
          <Text>{t("The group has no budget.")}</Text>
        ) : view.budget === null ? (
          <BudgetBars uses={view.uses} />
        ) : (
          <Text>{t("After you save, the budget of the group applies.")}</Text>
        )}
        {own && view.uses.length > 0 && view.budget !== null ? <BudgetBars uses={view.uses} /> : null}
        <Text c="dimmed" fz="sm">
          {t("Days, weeks and months end at midnight in the time zone {{zone}}. Weeks begin on Monday.", {
            zone: view.time_zone,
          })}
        </Text>
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={set.isPending}>
            {t("Save")}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

type BudgetFormValues = SchemaForm<Partial<Budget>>;

function Fields({ form }: { form: BudgetFormValues }) {
  const { t } = useTranslation();
  return (
    <>
      <div className={classes.fields}>
        {budgetPeriods.map((period) => (
          <div key={period} className={classes.period}>
            <Amount
              form={form}
              name={budgetFields[period].spend}
              none={t("No limit")}
              focused={period === "month"}
            />
            <Amount form={form} name={budgetFields[period].notify} none={t("No notice")} />
          </div>
        ))}
        <div className={classes.period}>
          <Amount form={form} name="session_spend" none={t("No limit")} />
        </div>
      </div>
      <Text c="dimmed" fz="sm">
        {t(
          "Calls that would exceed a limit are refused. Operators are notified once when spending reaches a notice amount.",
        )}
      </Text>
    </>
  );
}

type BudgetAmountProps = {
  form: BudgetFormValues;
  name: keyof Budget;
  none: string;
  /** Has the focus when the fields appear. */
  focused?: boolean;
};

function Amount({ form, name, none, focused = false }: BudgetAmountProps) {
  const { t } = useTranslation();
  return (
    <PointsInput
      label={t(budgetFieldNames[name])}
      placeholder={none}
      autoFocus={focused}
      data-autofocus={focused || undefined}
      max={2_000_000}
      value={form.values[name] ?? 0}
      error={form.errors[name]}
      onChange={(points) => form.setFieldValue(name, points)}
    />
  );
}
