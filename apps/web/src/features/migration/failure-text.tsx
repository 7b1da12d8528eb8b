/** Why an import could not be done, in the reader's language. */
import type { ImportRun } from "@gateway/shared/site/migration";
import { useTranslation } from "react-i18next";
import { faultText } from "#lib/errors/error-text.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";

export function FailureText({ failure }: { failure: NonNullable<ImportRun["failure"]> }) {
  const { t } = useTranslation("migration");
  useErrorTexts();
  // A refusal without facts is explained in English only.
  const isEnglishOnly = failure.code === "conflict" && failure.params["reason"] === undefined;
  return <>{isEnglishOnly ? failure.message : faultText(t, failure)}</>;
}
