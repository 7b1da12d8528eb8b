/**
 * Returns the name of a model in lower case. Letters that differ only in case for some servers, such as ſ and s,
 * become the same.
 */
export function foldModel(model: string): string {
  return model.toUpperCase().toLowerCase();
}
