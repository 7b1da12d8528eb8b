import { createKeyReferences, type KeyReferences } from "#domain/channels/key-references/key-references.ts";
import { noteKeyAvailability } from "#domain/channels/key-references/note-key-availability.ts";
import { now } from "#platform/clock.ts";
import type { Database } from "#platform/database/db.ts";
import { createKeyReader } from "#platform/key-sources/read-key.ts";
import type { Context } from "./context.ts";
import type { Component } from "./parts.ts";

/** Keys of channels that are stored elsewhere. */
export const referencedKeys: Component<Context & { database: Database }, KeyReferences> = {
  name: "keys that are stored elsewhere",
  open({ env, log, onError, database: { db } }) {
    return createKeyReferences({
      reader: createKeyReader(env.keySources, { now }),
      now,
      onChange({ text, fault }) {
        if (fault === undefined) log.info({ reference: text }, "a key of channels can be read again");
        else log.warn({ reference: text, fault }, "a key of channels cannot be read");
        noteKeyAvailability(db, text, fault).catch(onError);
      },
    });
  },
  close: (opened) => opened.close(),
};
