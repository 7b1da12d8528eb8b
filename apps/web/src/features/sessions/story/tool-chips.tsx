/** The tools that a call's response requested. Read from the stored response when the row is on the screen. */
import { useQuery } from "@tanstack/react-query";
import { toolsQuery } from "#features/sessions/api.ts";
import classes from "./story.module.css";

const MOST = 3;

export function ToolChips({ requestId }: { requestId: string }) {
  const tools = useQuery(toolsQuery(requestId)).data ?? [];
  const rest = tools.slice(MOST);
  return (
    <>
      {tools.slice(0, MOST).map(({ name, count }) => (
        <bdi key={name} className={classes.chip} title={name}>
          {count > 1 ? `${name} ×${count}` : name}
        </bdi>
      ))}
      {rest.length > 0 ? (
        <span className={classes.chip} title={rest.map(({ name }) => name).join(", ")}>
          {`+${rest.length}`}
        </span>
      ) : null}
    </>
  );
}
