/**
 * Encodes a model as one path segment, so that a slash cannot lead to another path. Tuned models have their own
 * prefix.
 */
export function modelSegment(model: string): string {
  return encodeURIComponent(model).replaceAll("%40", "@").replaceAll("%3A", ":");
}
