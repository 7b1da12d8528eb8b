import type { KeyReference } from "@gateway/shared/channels/key-reference";
import { KeyUnavailableError, type KeyValue } from "#platform/key-sources/key-value.ts";
import type { KeyReader } from "#platform/key-sources/read-key.ts";

export interface ReferencedKeyOptions {
  reader: KeyReader;
  /** Milliseconds since 1970. */
  now(): number;
  /** Called when the key can no longer be read, and when it can be read again. */
  onChange(key: ReferencedKey): void;
}

/** A key without an end is read again after this time. */
const REFRESH_MS: Record<KeyReference["source"], number> = {
  env: 3_600_000,
  file: 60_000,
  vault: 300_000,
  "aws-sm": 300_000,
  aws: 300_000,
  google: 300_000,
  azure: 300_000,
};
/** A key with an end is read again this long before it, or after half of its life if that is shorter. */
const MARGIN_MS = 300_000;
/** A key without an end is used this long while its source does not respond. */
const KEEP_MS = 3_600_000;
/** Between two attempts to read it. */
const RETRY_MS = 5_000;

/**
 * A key of channels that is stored elsewhere, with the value that was read last. Calls use that value while a new one is
 * read; they wait only when there is none that is valid.
 */
export class ReferencedKey {
  /** As it was entered. */
  readonly text: string;
  readonly #reference: KeyReference;
  readonly #scope: string;
  readonly #options: ReferencedKeyOptions;
  #value: { text: string; validUntil: number } | undefined;
  #replaced: string | undefined;
  #refreshAt = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  /** The provider refused the value that was read last. */
  #isRefused = false;
  #fault: string | undefined;
  #reading: Promise<void> | undefined;

  /** @param scope resource for which a token of Azure is valid */
  constructor(text: string, reference: KeyReference, scope: string, options: ReferencedKeyOptions) {
    this.text = text;
    this.#reference = reference;
    this.#scope = scope;
    this.#options = options;
  }

  /** Why it cannot be read; undefined while it can. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Returns the key. Throws KeyUnavailableError when it cannot be read and the last value is no longer valid. */
  async read(): Promise<string> {
    if (this.#isDue()) {
      const reading = this.#load();
      if (this.#isRefused || this.#valid() === undefined) await reading;
    }
    const key = this.#valid();
    if (key === undefined)
      throw new KeyUnavailableError(`The key ${this.text} cannot be read: ${this.#fault}.`);
    return key;
  }

  /** Reads the key again if it is time. */
  refresh(): void {
    if (this.#isDue()) void this.#load();
  }

  /** The provider refused the key: it may have been replaced at its source. */
  refused(): void {
    this.#isRefused = true;
    this.#refreshAt = Math.min(this.#refreshAt, this.#readAt + RETRY_MS);
    this.refresh();
  }

  /** Returns the last two values, so that they can be removed from what providers quote. */
  knownTexts(): string[] {
    return [this.#value?.text, this.#replaced].filter((text) => text !== undefined);
  }

  #isDue(): boolean {
    return this.#options.now() >= this.#refreshAt;
  }

  #valid(): string | undefined {
    const value = this.#value;
    return value !== undefined && this.#options.now() < value.validUntil ? value.text : undefined;
  }

  /** Never rejects: a failure is kept as the fault. */
  #load(): Promise<void> {
    this.#reading ??= this.#options.reader
      .read(this.#reference, this.#scope)
      .then(
        (value) => this.#keep(value),
        (error: unknown) => this.#fail(error),
      )
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  #keep({ text, expiresAt }: KeyValue): void {
    const at = this.#options.now();
    if (this.#value !== undefined && this.#value.text !== text) this.#replaced = this.#value.text;
    this.#isRefused = false;
    this.#value = { text, validUntil: expiresAt ?? at + KEEP_MS };
    this.#readAt = at;
    const lifeMs = expiresAt === undefined ? undefined : Math.max(expiresAt - at, 0);
    this.#refreshAt =
      at +
      (lifeMs === undefined ? REFRESH_MS[this.#reference.source] : Math.max(lifeMs - MARGIN_MS, lifeMs / 2));
    this.#change(undefined);
  }

  #fail(error: unknown): void {
    const at = this.#options.now();
    this.#readAt = at;
    this.#refreshAt = at + RETRY_MS;
    this.#change(error instanceof Error ? error.message : String(error));
  }

  #change(fault: string | undefined): void {
    const isChanged = (this.#fault === undefined) !== (fault === undefined);
    this.#fault = fault;
    if (isChanged) this.#options.onChange(this);
  }
}
