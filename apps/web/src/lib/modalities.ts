/** Names of what models read and make, for people. */
import { phrase } from "./i18n.ts";

const names: Record<string, string> = {
  text: phrase("Text"),
  image: phrase("Images"),
  audio: phrase("Audio"),
  video: phrase("Video"),
  pdf: phrase("PDF"),
  embedding: phrase("Embeddings"),
};

/** English, to be translated where it is shown; an unknown one keeps its own name. */
export function nameOfModality(modality: string): string {
  return names[modality] ?? modality;
}
