/**
 * Creates an async generator from two functions. It costs one promise per value, where `async function*`
 * costs several and a queue. Meant for data that passes piece by piece.
 * @param next returns the next value; undefined at the end
 * @param close called once: at the end, after an error, or when the reader leaves, even before the first
 * value
 */
export function generatorOf<Value extends object | string>(
  next: () => Promise<Value | undefined>,
  close: () => Promise<void>,
): AsyncGenerator<Value, void, undefined> {
  return new GeneratorOf(next, close);
}

/** A class, because an object with methods of its own costs as much as reading a short body. */
class GeneratorOf<Value extends object | string> implements AsyncGenerator<Value, void, undefined> {
  readonly #next: () => Promise<Value | undefined>;
  readonly #close: () => Promise<void>;
  #isOver = false;
  #pending: Promise<Value | undefined> | undefined;

  constructor(next: () => Promise<Value | undefined>, close: () => Promise<void>) {
    this.#next = next;
    this.#close = close;
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#close();
  }

  async next(): Promise<IteratorResult<Value, void>> {
    if (this.#isOver) return { done: true, value: undefined };
    try {
      const value = await (this.#pending = this.#next());
      this.#pending = undefined;
      if (value !== undefined) return { done: false, value };
    } catch (error) {
      await this.#end();
      throw error;
    }
    await this.#end();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Value, void>> {
    // As with a generator, a reader that leaves waits for the value that it requested.
    await this.#pending?.catch(() => {});
    await this.#end();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
