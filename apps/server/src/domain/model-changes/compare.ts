/** Compares the models of a channel with the list of its provider. Pure functions. */
import { type ActiveMapping, mapModel } from "#domain/channels/selection/active-channel.ts";

interface ChannelModels {
  models: readonly string[];
  mapping: ActiveMapping;
}

export interface ModelListDifference {
  /** Listed names that no model of the channel is forwarded as. */
  offered: string[];
  /** Models of the channel that are forwarded as a name that is not in the list. */
  missing: string[];
}

/** Patterns are in neither result: they serve whatever the provider offers. */
export function compare(channel: ChannelModels, listed: readonly string[]): ModelListDifference {
  const exact = channel.models.filter((model) => !model.endsWith("*"));
  const prefixes = channel.models.filter((model) => model.endsWith("*")).map((model) => model.slice(0, -1));
  const forwarded = new Set(exact.map((model) => mapModel(channel, model).upstream));
  const servesByPattern = (name: string) =>
    requestsFor(channel.mapping, name).some(
      (request) =>
        prefixes.some((prefix) => request.startsWith(prefix)) && mapModel(channel, request).upstream === name,
    );
  const known = new Set(listed.flatMap((name) => [name, withoutVersion(name)]));
  const isListed = (name: string) => known.has(name) || known.has(withoutVersion(name));
  return {
    offered: listed.filter((name) => !forwarded.has(name) && !servesByPattern(name)),
    missing: exact.filter((model) => !isListed(mapModel(channel, model).upstream)),
  };
}

/** Returns the names that clients could request to get an upstream model: itself, and through the mapping. */
function requestsFor({ exact, wildcards }: ActiveMapping, upstream: string): string[] {
  const requests = [upstream];
  for (const [request, mapped] of exact) if (mapped.upstream === upstream) requests.push(request);
  for (const { prefix, target } of wildcards) {
    const star = target.indexOf("*");
    if (star === -1) continue;
    const [before, after] = [target.slice(0, star), target.slice(star + 1)];
    const fits = upstream.startsWith(before) && upstream.endsWith(after);
    if (fits && upstream.length >= before.length + after.length)
      requests.push(prefix + upstream.slice(before.length, upstream.length - after.length));
  }
  return requests;
}

/**
 * Providers list `claude-sonnet-4-5-20250929` and also accept `claude-sonnet-4-5`. The same holds for
 * `-latest` and for Ollama's tag `:latest`.
 */
function withoutVersion(name: string): string {
  return name.replace(/(-\d{4}-?\d{2}-?\d{2}|[-:]latest)$/, "");
}
