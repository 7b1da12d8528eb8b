/** The tracks of a story: a column per agent, in the order of the tree. Pure. */
import { othersColor } from "#ui/charts/chart-colors.ts";

/** Further agents share the last track. */
export const MOST_TRACKS = 6;

export type Track = { agent: string; place: number; color: string };

export type Tracks = {
  /** Tracks of a single agent. */
  shown: Track[];
  /** The track of all other agents. */
  rest: Track;
  /** Number of tracks. */
  count: number;
  of: (agent: string) => Track;
};

export function assignTracks(agents: readonly string[], colors: ReadonlyMap<string, string>): Tracks {
  const shown = agents
    .slice(0, MOST_TRACKS)
    .map((agent, place): Track => ({ agent, place, color: colors.get(agent) ?? othersColor }));
  const rest: Track = { agent: "", place: shown.length, color: othersColor };
  const byAgent = new Map(shown.map((track) => [track.agent, track]));
  return {
    shown,
    rest,
    count: shown.length + (agents.length > shown.length ? 1 : 0),
    of: (agent) => byAgent.get(agent) ?? rest,
  };
}
