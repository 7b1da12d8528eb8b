/** Code samples for each client library. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ChoiceBar } from "#ui/form/choice-bar.tsx";
import { type SampleClient, sampleClients, sampleCode } from "./client-sample-code.ts";
import { CodeSamples } from "./code-samples.tsx";
import type { Sample } from "./sample-code.ts";

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
