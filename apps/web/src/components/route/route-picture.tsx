/** The route of a call as a picture: the client, the gateway, and the channels that were tried, in their order. */
import { IconCheck, IconCode, IconX } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";
import { Mark } from "#components/icons/mark.tsx";
import classes from "./route-picture.module.css";

export type RouteStop = {
  id: string;
  name: string;
  /** The result, or why the channel was not used. Translated. */
  note: string;
  state: "answered" | "failed" | "unused";
  icon?: ReactNode;
};

type RoutePictureProps = {
  /** The same in words, for screen readers. Translated. */
  label: string;
  /** Names of the client and the gateway. */
  client: string;
  gateway: string;
  stops: readonly RouteStop[];
  /** Shows the parts one after the other, once. */
  animated?: boolean;
};

/** In pixels, as in the styles. */
const stopHeight = 52;
const stopGap = 10;

export function RoutePicture({ label, client, gateway, stops, animated = false }: RoutePictureProps) {
  const height = Math.max(1, stops.length) * (stopHeight + stopGap) - stopGap;
  const reached = stops.some(({ state }) => state !== "unused");
  return (
    <div className={classes.frame}>
      <div className={classes.route} role="img" aria-label={label} data-animated={animated || undefined}>
        <Node name={client}>
          <span className={classes.client}>
            <IconCode size={20} stroke={1.7} />
          </span>
        </Node>
        <Edges
          height={height}
          ends={[{ id: "gateway", y: height / 2, state: reached ? "answered" : "unused" }]}
        />
        <Node name={gateway}>
          <Mark size={40} />
        </Node>
        <Edges
          height={height}
          ends={stops.map(({ id, state }, place) => ({
            id,
            state,
            y: place * (stopHeight + stopGap) + stopHeight / 2,
          }))}
          after={1}
        />
        <ul className={classes.stops}>
          {stops.map((stop, place) => (
            <li key={stop.id} data-state={stop.state} style={placeStyle(place + 1)}>
              <StopMark state={stop.state} />
              {stop.icon ? <span className={classes.icon}>{stop.icon}</span> : null}
              <span className={classes.words}>
                <span className={classes.name}>{stop.name}</span>
                <span className={classes.note}>{stop.note}</span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** The place of a part in the order in which the parts appear. */
const placeStyle = (place: number) => ({ "--place": place }) as CSSProperties;

function Node({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.node}>
      {children}
      <span className={classes.nodeName}>{name}</span>
    </div>
  );
}

type EdgesProps = {
  height: number;
  ends: readonly { id: string; y: number; state: RouteStop["state"] }[];
  /** Parts that appear before the first edge. */
  after?: number;
};

/** Lines from the middle of the left side to their ends. Each has its own element, which appears from the left. */
function Edges({ height, ends, after = 0 }: EdgesProps) {
  const middle = height / 2;
  return (
    <div className={classes.edges} style={{ height }}>
      {ends.map(({ id, y, state }, place) => (
        <svg
          key={id}
          data-state={state}
          style={placeStyle(place + after)}
          viewBox={`0 0 100 ${height}`}
          preserveAspectRatio="none"
          aria-hidden
        >
          <path d={`M0 ${middle}C55 ${middle} 45 ${y} 100 ${y}`} />
        </svg>
      ))}
    </div>
  );
}

function StopMark({ state }: { state: RouteStop["state"] }) {
  return (
    <span className={classes.mark}>
      {state === "answered" ? <IconCheck size={12} stroke={3} /> : null}
      {state === "failed" ? <IconX size={12} stroke={3} /> : null}
    </span>
  );
}
