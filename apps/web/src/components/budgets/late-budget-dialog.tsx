/** The budget dialog, loaded when it is first opened. */
import type { BudgetTarget } from "@gateway/shared/accounts/budget";
import { lazy, Suspense } from "react";

const BudgetDialog = lazy(() =>
  import("./budget-dialog.tsx").then((module) => ({ default: module.BudgetDialog })),
);

export function LateBudgetDialog(props: {
  target: BudgetTarget;
  id: number;
  name: string;
  onClose: () => void;
}) {
  return (
    <Suspense fallback={null}>
      <BudgetDialog {...props} />
    </Suspense>
  );
}
