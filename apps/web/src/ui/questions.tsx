import { ModalsProvider } from "@mantine/modals";
import { useEffect } from "react";
import { questionsReady } from "#ui/confirm.tsx";

/** Shows what `confirm` asks. */
export function Questions() {
  return (
    <ModalsProvider>
      <Ready />
    </ModalsProvider>
  );
}

/** Its effect follows that of the provider, which listens from then on. */
function Ready() {
  useEffect(questionsReady, []);
  return null;
}
