import { ModalsProvider } from "@mantine/modals";
import { useEffect } from "react";
import { questionsReady } from "#ui/question-place.ts";

/** Shows the dialogs of `confirm`. */
export function Questions() {
  return (
    <ModalsProvider>
      <Ready />
    </ModalsProvider>
  );
}

/** Its effect runs after that of the provider, which listens from then on. */
function Ready() {
  useEffect(questionsReady, []);
  return null;
}
