/** Display names of the modalities of models. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { phrase } from "#lib/i18n.ts";

const names = lookupTable<string>({
  text: phrase("Text"),
  image: phrase("Images"),
  audio: phrase("Audio"),
  video: phrase("Video"),
  pdf: phrase("PDF"),
  embedding: phrase("Embeddings"),
});

/** Returns the name in English, to be translated when displayed; an unknown modality as it is. */
export function nameOfModality(modality: string): string {
  return names[modality] ?? modality;
}
