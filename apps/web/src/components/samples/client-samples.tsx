/** Code samples for each client library. */
import { type SampleClient, sampleClients, sampleCode } from "@gateway/shared/connect/client-sample-code";
import type { Sample } from "@gateway/shared/connect/sample-code";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ChoiceBar } from "#ui/form/choice-bar.tsx";
import { CodeSamples } from "./code-samples.tsx";

export function ClientSamples({ sample }: { sample: Sample }) {
  const { t } = useTranslation();
  const [client, setClient] = useState<SampleClient>("OpenAI");
  return (
    <CodeSamples
      sample={sample}
      codeOf={(language, filled) => sampleCode(client, language, filled)}
      choice={
        <ChoiceBar
          label={t("Client library of the sample")}
          choices={sampleClients}
          value={client}
          onChange={setClient}
        />
      }
    />
  );
}
