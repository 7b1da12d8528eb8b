/** Sets a monthly budget for the own account: a limit, a warning, and whether calls beyond it are refused. */
import { AccountBudget, type MonthForecast } from "@gateway/shared/accounts/budget";
import { Button, NumberInput, Stack, Switch, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PointsInput } from "#components/points-input.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { useSetAccountBudget } from "#lib/queries/budgets.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { showFieldErrors, useSchemaForm } from "#ui/form/form.ts";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { toast } from "#ui/toast.tsx";

type AccountBudgetDialogProps = { budget: AccountBudget; month: MonthForecast; onClose: () => void };

const firstWarning = 80;

export function AccountBudgetDialog({ budget, month, onClose }: AccountBudgetDialogProps) {
  const { t } = useTranslation("statements");
  const format = useFormat();
  const save = useSetAccountBudget();
  const isNew = budget.limit === 0;
  const form = useSchemaForm(AccountBudget, isNew ? { ...budget, warning: firstWarning } : budget);
  const store = (next: AccountBudget) =>
    save.mutate(next, {
      onSuccess: () => {
        toast.success(next.limit === 0 ? t("Budget removed") : t("Budget saved"));
        onClose();
      },
      onError: (error) => void showFieldErrors(form, error, t),
    });
  return (
    <HelpModal help="users#own-budget" opened onClose={onClose} size={460} title={t("Monthly budget")}>
      <form noValidate onSubmit={form.onSubmit((values) => store(AccountBudget.parse(values)))}>
        <Stack gap="md">
          <PointsInput
            label={t("Budget per month")}
            description={t("This month: {{used}} spent, {{expected}} expected at its end.", {
              used: format.quota(month.used),
              expected: format.quota(month.expected),
            })}
            placeholder={t("No budget")}
            data-autofocus
            max={2_000_000}
            value={form.values.limit ?? 0}
            error={form.errors["limit"]}
            onChange={(points) => form.setFieldValue("limit", points)}
          />
          <NumberInput
            label={t("Warn at")}
            description={t(
              "In percent of the budget. You are notified once per month, also by email. 0 = off.",
            )}
            suffix=" %"
            min={0}
            max={100}
            allowDecimal={false}
            value={form.values.warning ?? 0}
            error={form.errors["warning"]}
            onChange={(next) => form.setFieldValue("warning", Number(next) || 0)}
          />
          <Switch
            label={t("Refuse calls beyond the budget")}
            description={t("They work again when the month ends, or when you raise the budget.")}
            checked={form.values.stops ?? false}
            onChange={(event) => form.setFieldValue("stops", event.currentTarget.checked)}
          />
          <Text c="dimmed" fz="sm">
            {t("The month ends at midnight in the time zone {{zone}}.", { zone: month.time_zone })}
          </Text>
          <DialogButtons>
            {isNew ? null : (
              <Button
                variant="subtle"
                color="red"
                mr="auto"
                onClick={() => store({ ...budget, limit: 0, stops: false })}
              >
                {t("Remove")}
              </Button>
            )}
            <Button variant="default" onClick={onClose}>
              {t("Cancel")}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t("Save")}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </HelpModal>
  );
}
