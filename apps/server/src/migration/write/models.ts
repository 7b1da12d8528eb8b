import type { ModelInfoRecord, ModelOwnerRecord } from "#migration/records.ts";
import { inBatches, type WriteContext } from "./write-context.ts";

export async function writeModelOwners(context: WriteContext, records: AsyncIterable<ModelOwnerRecord>) {
  const { tx, book } = context;
  await inBatches(context, "model_owners", records, async (batch) => {
    for (const { id, name, icon } of batch)
      // An address of the icon stays; names of icons are those of this gateway.
      await tx.modelOwner.upsert({
        where: { id },
        create: { id, name, icon },
        update: /^https?:/.test(icon) ? { name, icon } : { name },
      });
    book.imported("model_owners", batch.length);
  });
}

export async function writeModelInfo(context: WriteContext, records: AsyncIterable<ModelInfoRecord>) {
  const { tx, book } = context;
  await inBatches(context, "model_info", records, async (batch) => {
    for (const { model, ...info } of batch) {
      const data = {
        name: info.name,
        description: info.description,
        context_length: info.contextLength,
        max_tokens: info.maxTokens,
        input_modalities: info.inputModalities,
        output_modalities: info.outputModalities,
        tags: info.tags,
        support_url: info.supportUrl,
      };
      await tx.modelInfo.upsert({ where: { model }, create: { model, ...data }, update: data });
    }
    book.imported("model_info", batch.length);
  });
}
